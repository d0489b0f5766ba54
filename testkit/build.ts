import { execFileSync } from 'node:child_process';

/** Builds the service and its documentation, because process tests start the built service, like `npm start`. */
export default function build(): void {
  for (const name of ['build', 'docs']) execFileSync('npm', ['run', '--silent', name], { stdio: 'inherit' });
}
