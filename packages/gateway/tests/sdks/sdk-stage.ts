import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { type Stage, startStage } from '../stage.js';

/** A stage with clients of the vendors. */
export interface SdkStage extends Stage {
  openai(headers?: Record<string, string>, maxRetries?: number): OpenAI;
  anthropic(headers?: Record<string, string>, maxRetries?: number): Anthropic;
}

export async function startSdkStage(...settings: Parameters<typeof startStage>): Promise<SdkStage> {
  const stage = await startStage(...settings);
  const { url, headers } = stage;
  const apiKey = 'model-key';
  return {
    ...stage,
    openai: (own = {}, maxRetries = 0) =>
      new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries, defaultHeaders: { ...headers, ...own } }),
    anthropic: (own = {}, maxRetries = 0) =>
      new Anthropic({ apiKey, baseURL: url, maxRetries, defaultHeaders: { ...headers, ...own } }),
  };
}
