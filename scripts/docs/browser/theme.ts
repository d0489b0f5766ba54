/** Runs before the first paint, so that a page never flashes in the other theme. */
const { documentElement } = document;
documentElement.classList.add('js');
try {
  const chosen = localStorage.getItem('theme');
  if (chosen !== null) documentElement.dataset['theme'] = chosen;
} catch {
  // Without storage, the theme of the system applies.
}
