/** Sets the theme before the first paint, so that a page never flashes in the other theme. */
const { documentElement } = document;
documentElement.classList.add('js');
try {
  const chosen = localStorage.getItem('theme');
  if (chosen !== null) documentElement.dataset['theme'] = chosen;
} catch {
  // If storage is unavailable, the theme of the system applies.
}
