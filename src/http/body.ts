import { isUtf8 } from 'node:buffer';
import express, { type RequestHandler } from 'express';
import { body as bodyLimits } from '../../generated/spec.js';
import { ProblemError } from '../problem.js';

/** Reads the JSON body of operations that take one; of others it is left unread. */
export function body(): RequestHandler {
  const readJson = express.json({
    limit: bodyLimits.max_bytes,
    strict: false,
    inflate: false,
    type: () => true,
    verify: (_request, _response, bytes) => {
      // A plain error: the parser writes its own fields into what is thrown here.
      if (bytes.length === 0 || !isUtf8(bytes)) throw new Error('the body is empty or not UTF-8');
    },
  });
  return (request, response, next) => {
    if (!response.locals.route?.operation.requestBody) return next();
    if (!hasBody(request.headers)) throw new ProblemError('invalid_payload');
    if (!isJson(request.headers['content-type'])) throw new ProblemError('unsupported_media_type');
    // The validator keeps one compiled copy for each distinct header, so it sees only this one.
    request.headers['content-type'] = 'application/json';
    readJson(request, response, (error) => next(error && toProblem(error)));
  };
}

function hasBody(headers: {
  'content-length'?: string | undefined;
  'transfer-encoding'?: string | undefined;
}): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** JSON is UTF-8 (RFC 8259); a charset parameter may say so, and nothing else. */
function isJson(contentType = ''): boolean {
  const [mediaType = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return mediaType === 'application/json' && [undefined, 'charset=utf-8', 'charset="utf-8"'].includes(charset);
}

const problemOfBodyError: Readonly<Record<string, 'body_too_large' | 'unsupported_media_type'>> = {
  'entity.too.large': 'body_too_large',
  'encoding.unsupported': 'unsupported_media_type',
};

/** Whatever else goes wrong while reading (broken JSON, fewer bytes than declared) is an invalid payload. */
function toProblem(error: { type?: string }): ProblemError {
  return new ProblemError(problemOfBodyError[error.type ?? ''] ?? 'invalid_payload', { cause: error });
}
