import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import compression from 'compression';
import express, { type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { ProblemError } from '../problem.js';

/** The folder of the project, with the contract and, once `npm run docs` has built it, the site. */
export interface DocumentationParts {
  readonly root: URL;
}

const self = ["'self'"];
/** Pages need what this service itself serves, and nothing else of the world. */
const directives = {
  'default-src': ["'none'"],
  'script-src': self,
  'style-src': self,
  'img-src': ["'self'", 'data:'],
  'connect-src': self,
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};
const begins = /^\/(?:docs|openapi\.)/;
const notBuilt =
  '<!doctype html><title>Not built</title><p>The documentation is not built: run <code>npm run docs</code>.';

/** The documentation, for everybody: the pages under /docs and the contract as it is. */
export function documentation({ root }: DocumentationParts): RequestHandler {
  const site = fileURLToPath(new URL('dist/docs/', root));
  const router = Router({ caseSensitive: true, strict: true });
  // Text, a third to a tenth of its size when packed; here nothing is secret that size could tell.
  router.use(['/docs', '/openapi.json', '/openapi.yaml'], readOnly, revalidated, compression());
  router.use(
    '/docs',
    helmet.contentSecurityPolicy({ useDefaults: false, directives }),
    express.static(site),
    notFound(site),
  );
  router.get('/openapi.json', express.static(fileURLToPath(new URL('generated/', root))));
  router.get('/openapi.yaml', express.static(fileURLToPath(root)));
  // Readings come this way too, and need not be matched against each of these.
  return (request, response, next) => (begins.test(request.url) ? router(request, response, next) : next());
}

const readOnly: RequestHandler = ({ method }, response, next) => {
  if (method === 'GET' || method === 'HEAD') return next();
  response.set('Allow', 'GET, HEAD');
  throw new ProblemError('method_not_allowed');
};

/** Nothing here is about a person: caches may keep it, as long as they ask whether it has changed. */
const revalidated: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-cache');
  next();
};

/** People read this, so it is a page and no problem document. */
function notFound(site: string): RequestHandler {
  return async (_request, response) => {
    const page = await readFile(`${site}404.html`, 'utf8').catch(() => notBuilt);
    response.status(404).type('html').send(page);
  };
}
