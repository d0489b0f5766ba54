import { dropTestDatabases } from '../../testkit/databases.js';
import { buildChanged } from '../build/build-changed.mjs';

/**
 * Builds the service and its documentation, because process tests start the built service, like `npm start`. Returns
 * what ends the run.
 */
export default function begin(): () => Promise<void> {
  buildChanged('program', 'documentation');
  return dropTestDatabases;
}
