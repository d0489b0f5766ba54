import { expect, test } from 'vitest';
import contract from '../../generated/openapi.json' with { type: 'json' };
import { operations } from '../../testkit/documented-requests.js';

test('every operation that requires a key documents 429, and no other operation does', () => {
  const { description } = contract.components.responses.RateLimitExceeded;
  for (const { id, needsKey, answers } of operations)
    expect(answers.find(({ status }) => status === '429')?.description, id).toBe(needsKey ? description : undefined);
});
