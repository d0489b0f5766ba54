import { expect, test } from 'vitest';
import { definitions } from '../../src/contract/definitions.js';
import { startTestService } from '../../testkit/service.js';

/** The parameters of queries that are arrays of enumerated values, by operation. */
const arrays = definitions.flatMap(({ operationId, template, parameters }) =>
  parameters
    .filter((it) => it.in === 'query' && it.schema.type === 'array')
    .map(({ name, schema }) => ({ operationId, template, name, values: schema.items?.enum ?? [] })),
);

test('arrays in queries have enumerated values, which contain no comma', () => {
  expect(arrays.length).toBeGreaterThan(0);
  for (const { values } of arrays) {
    expect(values.length).toBeGreaterThan(2);
    expect(values.filter((it) => it.includes(','))).toEqual([]);
  }
});

test.each(arrays)(
  '$operationId: $name may be repeated, comma-separated or both',
  async ({ template, name, values }) => {
    const service = await startTestService();
    await service.read({ heart_rate: 62, tone: 'calm' });
    const send = async (...sent: string[]) => {
      const query = sent.map((it) => `${name}=${it}`).join('&');
      const { status, body } = await service.request(`${template}?${query}`);
      return [status, body];
    };
    const [a = '', b = '', c = ''] = values;
    const comma = await send([a, b, c].join(','));
    expect(comma[0]).toBe(200);
    expect(await send(a, b, c)).toEqual(comma);
    expect(await send(`${a},${b}`, c)).toEqual(comma);
    for (const brackets of [
      ['[]', '[]', '[]'],
      ['[0]', '[1]', '[2]'],
      ['', '%5B%5D', '[7]'],
    ]) {
      const query = [a, b, c].map((it, index) => `${name}${brackets[index]}=${it}`).join('&');
      expect((await service.request(`${template}?${query}`)).body).toEqual(comma[1]);
    }
    expect(await send(a, `${b}%2C${c}`)).toEqual(comma);
  },
);

test.each(arrays)(
  '$operationId: each value of $name is validated in every form',
  async ({ template, name, values }) => {
    const service = await startTestService();
    const [a = '', b = ''] = values;
    for (const query of [`${a},bored`, `${a}&${name}=bored`, `${a},${b}&${name}=bored`, `${a}&${name}=`, '']) {
      const { status, body } = await service.request(`${template}?${name}=${query}`);
      expect([query, status]).toEqual([query, 422]);
      expect(body.errors).toEqual([expect.objectContaining({ parameter: name, code: 'enum', allowed: values })]);
    }
    const many = Array.from({ length: values.length + 1 }, () => `${name}=${a}`).join('&');
    const { body } = await service.request(`${template}?${many}`);
    expect(body.errors).toEqual([expect.objectContaining({ parameter: name, code: 'too_many_items' })]);
  },
);
