import { execFileSync } from 'node:child_process';

/** Tests that start the service as a process start what `npm start` would, and it serves the documentation. */
export default function build(): void {
  for (const name of ['build', 'docs']) execFileSync('npm', ['run', '--silent', name], { stdio: 'inherit' });
}
