import { expect, test } from 'vitest';
import { loadContractDocument } from './contract-document.js';
import { createValidator, middlewareOf } from './validator.js';

const document = await loadContractDocument(new URL('../../openapi.yaml', import.meta.url));
const responses = [false, true];

test.each(responses)(
  'the validator finds and validates every operation (validateResponses: %s)',
  async (validateResponses) => {
    await expect(createValidator(document, middlewareOf(document, { validateResponses }))).resolves.toBeTypeOf(
      'function',
    );
  },
);

test.each(responses)(
  'the start fails without the middleware that validates requests (validateResponses: %s)',
  async (validateResponses) => {
    const { find, check } = middlewareOf(document, { validateResponses });
    const creating = createValidator(document, { find, check: check.slice(1) });
    await expect(creating).rejects.toThrow('express-openapi-validator does not validate POST /v1/ingest');
  },
);

test.each(responses)(
  'the start fails without the middleware that finds the operation (validateResponses: %s)',
  async (validateResponses) => {
    const { find, check } = middlewareOf(document, { validateResponses });
    const creating = createValidator(document, { find: find.slice(0, 1), check });
    await expect(creating).rejects.toThrow('express-openapi-validator does not find POST /v1/ingest');
  },
);
