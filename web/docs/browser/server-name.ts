import { localServer } from '../samples.js';
import { all } from './dom.js';
import { serverUrl } from './places.js';

/** Replaces the URL in the samples with the URL of the current service. */
export function nameServer(): void {
  for (const code of all('pre code')) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: node } = texts;
      node.nodeValue = node.nodeValue?.replaceAll(localServer, serverUrl) ?? '';
    }
  }
  for (const name of all('[data-server-name]')) name.textContent = serverUrl;
}
