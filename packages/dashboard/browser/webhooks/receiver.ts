/** A receiver that verifies deliveries. `npm run generate` writes it into the guide on webhooks. */
export const receiver = `import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const server = createServer(async (request, response) => {
  try {
    console.log(webhook.verify(await text(request), request.headers)); // throws
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
});
server.listen(process.env.PORT ?? 3000);
`;
