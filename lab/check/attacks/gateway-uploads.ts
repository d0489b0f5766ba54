import { openModelUpstream } from '../../../testkit/model-upstream.js';
import { readUsage, startServiceProgram } from '../../../testkit/program.js';
import { forgeKey, upload } from '../../bench/support/uploads.js';
import type { Scenario } from './scenario.js';

const uploads = 20;
const questions = 20;
/** Limit of the memory that the gateway adds, MB. Half of the bodies of the attack. */
const addedMbMax = 300;

export const gatewayUploads: Scenario = {
  item: 32,
  title: '20 uploads of 31 MB to the gateway with invalid keys',
  async attack({ service, accomplice, defer }) {
    const upstream = await openModelUpstream();
    defer(upstream.close);
    const env = {
      SERVICE_URL: service().url,
      GATEWAY_PORT: '0',
      GATEWAY_OPENAI_URL: upstream.url,
      // A busy machine must not count as a missing state.
      GATEWAY_STATE_TIMEOUT_MS: '10000',
    };
    const gateway = await startServiceProgram(env, { args: ['gateway'] });
    defer(() => gateway.stop());
    const ask = async (index: number) => {
      const headers = { 'X-State-Key': accomplice.key, 'X-State-Session': `gateway-${index}` };
      const content = 'My exam is tomorrow and I panic, I cannot cope any more.';
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] });
      const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
      return response.headers.get('x-state-adapted') === 'true';
    };
    const before = readUsage(gateway.pid).residentMb;
    const statuses = Array.from({ length: uploads }, (_, index) => upload(gateway.url, forgeKey(index)));
    let disturbed = 0;
    for (let index = 0; index < questions; index += 1) if (!(await ask(index))) disturbed += 1;
    const accepted = (await Promise.all(statuses)).filter((status) => ![0, 401].includes(status)).length;
    const reached = upstream.requests.length - (questions - disturbed);
    return [
      { what: `requests of another caller disturbed, of ${questions}`, found: disturbed, allowed: 0 },
      { what: 'uploads not refused', found: accepted, allowed: 0 },
      { what: 'uploads that reached the model', found: reached, allowed: 0 },
      { what: 'memory added, MB', found: Math.round(readUsage(gateway.pid).residentMb - before), allowed: addedMbMax },
    ];
  },
};
