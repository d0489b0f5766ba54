import { expect, test } from 'vitest';
import contract from '../../generated/openapi.json' with { type: 'json' };

interface OperationObject {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

test('every operation that requires a key documents 429, and no other operation does', () => {
  const operations = Object.values(contract.paths).flatMap((methods) => Object.values(methods) as OperationObject[]);
  for (const { operationId, security, responses } of operations) {
    const expected = security?.length === 0 ? undefined : '#/components/responses/RateLimitExceeded';
    expect(responses['429']?.$ref, operationId).toBe(expected);
  }
});
