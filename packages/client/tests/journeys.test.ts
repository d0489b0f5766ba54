import { createDriver } from '../../../testkit/journeys/in-process.js';
import { testJourneys } from '../../../testkit/journeys/in-tests.js';
import { createStateClient } from '../src/index.js';
import { verifyWebhook } from '../src/webhooks.js';

testJourneys('the TypeScript client', () => createDriver(createStateClient, { verifyWebhook }));
