import { html } from '../docs/html.js';
import { documentHead, icon, logo } from '../docs/layout.js';

const summary = 'Live sessions, their history and webhooks.';

/** Returns the page. Its script fills `main`. Links are relative, so that the service works under any URL. */
export function dashboardPage(): string {
  return String(
    html`<!doctype html>
      <html lang="en" data-root="./">
        ${documentHead({ root: '', title: 'Dashboard', summary, blockingScript: 'start.js', robots: 'noindex' })}
        <body class="dashboard">
          <a class="skip" href="#main">Skip to the content</a>
          <header class="top">
            <a class="brand" href="./" aria-label="Real-time State, dashboard">${logo()}<span>Real-time State</span></a>
            <div class="account" data-account hidden>
              <nav class="tabs" aria-label="Pages">
                <a href="#/" data-page="sessions">Sessions</a><a href="#/people" data-page="people">People</a
                ><a href="#/webhooks" data-page="webhooks">Webhooks</a><a href="#/try" data-page="try">Try it</a>
              </nav>
              <p class="live line hint" role="status" data-live></p>
              <button type="button" class="icon-button" data-forget aria-label="Forget the key" title="Forget the key">
                ${icon('M15 4h4a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1h-4M10 16l-4-4l4-4M6 12h9')}
              </button>
            </div>
            <a class="top-link" href="../docs/">Docs</a>
            <button type="button" class="icon-button" data-theme-toggle aria-label="Switch between light and dark">
              ${icon('M12 3a9 9 0 1 0 9 9a7 7 0 0 1-9-9z')}
            </button>
          </header>
          <p class="no-contact" role="alert" data-contact hidden></p>
          <main id="main" tabindex="-1">
            <noscript><p class="notice">The dashboard requires JavaScript.</p></noscript>
          </main>
          <footer class="foot line">
            <p class="hint">Not a medical device. Scores are for adapting software to people, not for diagnosis.</p>
            <p class="line hint" data-usage hidden></p>
            <p class="hint"><a href="../docs/">Documentation</a></p>
          </footer>
        </body>
      </html> `,
  );
}
