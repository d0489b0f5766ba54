// CommonJS, because Dredd skips a hook file that it cannot `require` with no more than a warning.
// What the hooks do is handed over by run-dredd.ts: it stays typed, and one process holds service and database.
const hooks = require('hooks');

const { before, received, after } = hooks.configuration.custom.steps;

hooks.beforeEach(hook(before));
hooks.beforeEachValidation(hook(received));
hooks.afterEach(hook(after));

/** A step that rejects fails its transaction; Dredd by itself would carry on. */
function hook(step) {
  return (transaction, done) =>
    step(transaction)
      .catch((error) => {
        transaction.fail = error.message;
      })
      // In a turn of its own: Dredd runs all that follows inside `done` and would take its errors for the step's.
      .finally(() => setImmediate(done));
}
