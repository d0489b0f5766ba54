import { all } from './dom.js';

/** Switches between light and dark and stores the choice. */
export function startThemeToggle(): void {
  const { dataset } = document.documentElement;
  for (const button of all('[data-theme-toggle]')) {
    button.addEventListener('click', () => {
      const isDark = dataset['theme']
        ? dataset['theme'] === 'dark'
        : matchMedia('(prefers-color-scheme: dark)').matches;
      dataset['theme'] = isDark ? 'light' : 'dark';
      try {
        localStorage.setItem('theme', dataset['theme']);
      } catch {
        // If storage is unavailable, the choice is kept until the user leaves the page.
      }
    });
  }
}
