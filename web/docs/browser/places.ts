const { root = './', server } = document.documentElement.dataset;

/** URL of the site's root. */
export const siteUrl = new URL(root, location.href);

/**
 * URL of the service, without a trailing slash. This is the server of the page, unless the site was built for another
 * server.
 */
export const serverUrl = server ?? new URL('..', siteUrl).href.replace(/\/$/, '');
