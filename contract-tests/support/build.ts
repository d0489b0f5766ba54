import { execFileSync } from 'node:child_process';

/** Tests that start the service as a process start what `npm start` would. */
export default function build(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
}
