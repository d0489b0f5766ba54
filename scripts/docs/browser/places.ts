const { root = './', server } = document.documentElement.dataset;

/** Where the site begins. */
export const siteUrl = new URL(root, location.href);

/** Where requests go, without a slash at the end: what serves the pages under /docs/, unless the site was built for another. */
export const serverUrl = server ?? new URL('..', siteUrl).href.replace(/\/$/, '');
