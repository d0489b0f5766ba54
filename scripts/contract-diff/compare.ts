import { compareBehaviour } from './behaviour.js';
import { type Change, Changes, type Part } from './changes.js';
import { OperationComparison } from './operations.js';

/** What has changed from one contract (OpenAPI 3.0, bundled) to the next, judged by the rules of "Versioning". */
export function compareContracts(before: object, after: object): Change[] {
  const documents = { before: before as Part, after: after as Part };
  const changes = new Changes();
  new OperationComparison(documents, changes).compare();
  compareBehaviour(documents, changes);
  return changes.all();
}
