import type { Request, Response } from 'express';
import helmet from 'helmet';
import type { Config } from '../config/config.js';
import { cacheResult } from '../observe/probes.js';
import { type Encoding, endings, type PublicFile, readPublicFiles } from './public-files.js';
import { rejectMethod } from './route.js';

export interface DocumentationParts {
  readonly published?: Pick<Config, 'publicUrl'>;
  /** The root folder of the project, with the contract and, after `npm run docs`, the documentation and dashboard. */
  readonly root: URL;
}

const self = ["'self'"];
/** Content-Security-Policy: pages may load only resources of this service. */
const directives = {
  'default-src': ["'none'"],
  'script-src': self,
  'style-src': self,
  'img-src': ["'self'", 'data:'],
  'connect-src': self,
  'manifest-src': self,
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};
const contentSecurityPolicy = helmet.contentSecurityPolicy({ useDefaults: false, directives });
const isPublic = /^\/(?:(?:docs|dashboard|person)(?:\/.*)?|openapi\.json|openapi\.yaml)$/;
const isPage = /^\/(?:docs|dashboard|person)(?:\/|$)/;
const notBuilt =
  '<!doctype html><title>Not built</title><p>The documentation and the dashboard are not built: run <code>npm run docs</code>.';

/**
 * Serves the documentation, the dashboard and the contract from memory, without a key. The first request reads all files:
 * most processes of a deployment never serve them. The returned function resolves with false for another path.
 */
export function documentation({ root, published }: DocumentationParts) {
  const publicPath = published?.publicUrl && new URL(published.publicUrl).pathname;
  const read = cacheResult(Infinity, Date.now, () => readPublicFiles(root, publicPath || undefined));
  return async (request: Request, response: Response): Promise<boolean> => {
    const [path = '', ...query] = request.url.split(/(?=\?)/);
    if (path === '/') return leadToPages(request, response);
    if (!isPublic.test(path)) return false;
    await serve(request, response, path, query.join(''));
    return true;
  };

  async function serve(request: Request, response: Response, path: string, query: string): Promise<void> {
    requireReading(request, response);
    // The content is public. Caches may store it if they revalidate it.
    // The page of a person leaves no trace in caches and search engines.
    const isOfPerson = path.startsWith('/person');
    response.set('Cache-Control', isOfPerson ? 'no-store' : 'no-cache');
    if (isOfPerson) response.set('X-Robots-Tag', 'noindex');
    if (isPage.test(path)) contentSecurityPolicy(request, response, () => undefined);
    const files = await read();
    const file = files.get(path);
    if (file) return send(request, response, file);
    if (files.has(`${path}/`)) return response.redirect(301, `${path.replace(/^.*\//, '')}/${query}`);
    sendNotFound(request, response, files.get('/docs/404.html'));
  }
}

/**
 * Redirects browsers to the dashboard, with a relative URL, because a proxy may remove a prefix from paths. A browser is a
 * client that prefers HTML. Other clients get path_not_found.
 */
function leadToPages(request: Request, response: Response): boolean {
  const isBrowser = request.accepts(['json', 'html']) === 'html' && ['GET', 'HEAD'].includes(request.method);
  if (isBrowser) response.vary('Accept').redirect(302, 'dashboard/');
  return isBrowser;
}

function requireReading({ method }: Request, response: Response): void {
  if (method !== 'GET' && method !== 'HEAD') throw rejectMethod(response, ['GET', 'HEAD']);
}

function send(request: Request, response: Response, { extension, plain, encoded }: PublicFile): void {
  const names = Object.keys(endings) as Encoding[];
  const encoding = names.find((name) => encoded[name] && request.acceptsEncodings(name));
  const { bytes, etag } = (encoding && encoded[encoding]) ?? plain;
  response.type(extension).vary('Accept-Encoding').set('ETag', etag);
  if (encoding) response.set('Content-Encoding', encoding);
  if (request.fresh) return void response.status(304).end();
  response.set('Content-Length', String(bytes.length));
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/** Sends an HTML page instead of a problem document, because people read this response. */
function sendNotFound(request: Request, response: Response, page: PublicFile | undefined): void {
  response.status(404);
  if (page) return send(request, response, page);
  response.type('html').end(notBuilt);
}
