/** Runs before anything is drawn, so that a page never flashes in the other colours. */
const { documentElement } = document;
documentElement.classList.add('js');
try {
  const chosen = localStorage.getItem('theme');
  if (chosen !== null) documentElement.dataset['theme'] = chosen;
} catch {
  // Where storage is off the system's choice holds.
}
