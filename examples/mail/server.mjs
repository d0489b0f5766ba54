/**
 * Sends a mail for each alert, and for each topic that becomes active. Environment: WEBHOOK_SECRET of a webhook with the
 * events alert and trigger_active, SMTP_URL, e.g. smtps://user:password@mail.example.com, MAIL_FROM and MAIL_TO.
 */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createTransport } from 'nodemailer';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET, SMTP_URL, MAIL_FROM: from, MAIL_TO: to, PORT = '3000' } = process.env;
if (!WEBHOOK_SECRET || !SMTP_URL || !from || !to)
  throw new Error('Set WEBHOOK_SECRET, SMTP_URL, MAIL_FROM and MAIL_TO');
const webhook = new Webhook(WEBHOOK_SECRET);
const mail = createTransport(SMTP_URL);
/** Deliveries may come twice. In production, use a table with a time to live. */
const sent = new Set();

const server = createServer(async (request, response) => {
  const id = request.headers['webhook-id'];
  try {
    const event = webhook.verify(await buffer(request), request.headers);
    if (!sent.has(id) && event.event !== 'state_change') await mail.sendMail({ from, to, ...describe(event) });
    sent.add(id);
    response.writeHead(204).end();
  } catch (error) {
    // The service sends the event again after an error, so a mail server that is down loses no mail.
    console.error(`not sent: ${error.message}`);
    response.writeHead(500).end();
  }
});

function describe({ subject_id, condition, topic, timestamp }) {
  const what = condition ?? `the topic ${topic} became active`;
  return {
    subject: `${subject_id}: ${what}`,
    text: `${subject_id}: ${what}, ${timestamp}.\nOpen the dashboard for more.`,
  };
}

server.listen(Number(PORT), '127.0.0.1', () => console.log(`Receiving on port ${server.address().port}`));
