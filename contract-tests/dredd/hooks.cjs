// CommonJS, because Dredd skips a hook file that it cannot `require`, with only a warning. run-dredd.ts passes the
// hooks as functions. They are therefore typed and run in the process that has the service and the database.
const hooks = require('hooks');

const { before, received, after } = hooks.configuration.custom.steps;

hooks.beforeEach(hook(before));
hooks.beforeEachValidation(hook(received));
hooks.afterEach(hook(after));

/** Returns a hook for Dredd. If the step rejects, its transaction fails. Dredd itself would continue. */
function hook(step) {
  return (transaction, done) =>
    step(transaction)
      .catch((error) => {
        transaction.fail = error.message;
      })
      // Calls `done` separately, because Dredd runs the next steps inside `done`, and their errors would be caught
      // above.
      .finally(() => setImmediate(done));
}
