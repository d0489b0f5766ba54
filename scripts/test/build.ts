import { buildChanged } from '../build/build-changed.mjs';

/** Builds the service and its documentation, because process tests start the built service, like `npm start`. */
export default function build(): void {
  buildChanged('program', 'documentation');
}
