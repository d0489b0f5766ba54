import { html } from '../docs/html.js';
import { documentHead, icon, logo } from '../docs/layout.js';

const summary = 'What is measured about you, and who read it.';

/** Returns the page. Its script fills `main`, in the language of the browser. Links are relative. */
export function personPage(): string {
  return String(
    html`<!doctype html>
      <html lang="en" data-root="./">
        ${documentHead({ root: '', title: 'My state', summary, blockingScript: 'theme.js', robots: 'noindex' })}
        <body class="dashboard person">
          <link rel="apple-touch-icon" href="assets/icon-180.png" />
          <link rel="manifest" href="manifest.webmanifest" crossorigin="use-credentials" />
          <a class="skip" href="#main" data-skip>Skip to the content</a>
          <header class="top">
            <span class="brand">${logo()}<span data-brand>My state</span></span>
            <button type="button" class="icon-button" data-theme-toggle aria-label="Switch between light and dark">
              ${icon('M12 3a9 9 0 1 0 9 9a7 7 0 0 1-9-9z')}
            </button>
          </header>
          <main id="main" tabindex="-1">
            <noscript><p class="notice">This page requires JavaScript.</p></noscript>
          </main>
          <footer class="foot line"><p class="hint" data-disclaimer></p></footer>
        </body>
      </html> `,
  );
}

/** Returns the manifest, with which a phone installs the page. */
export function manifest(): string {
  const png = (size: number, purpose: string) => ({
    src: `assets/icon-${size}.png`,
    type: 'image/png',
    sizes: `${size}x${size}`,
    purpose,
  });
  const drawn = { src: 'assets/icon.svg', type: 'image/svg+xml', sizes: 'any', purpose: 'any' };
  const icons = [drawn, png(192, 'any'), png(512, 'any'), png(512, 'maskable')];
  const names = { name: 'My state', short_name: 'My state', description: summary };
  return JSON.stringify({
    ...names,
    start_url: './',
    scope: './',
    display: 'standalone',
    theme_color: '#0f766e',
    icons,
  });
}
