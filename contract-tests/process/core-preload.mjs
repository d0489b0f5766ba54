// Loaded into both threads of a real service (NODE_OPTIONS). On SIGUSR2, the core thread runs the action in
// CORE_ACTION. The heap of a core thread that will throw has ballast.
import { isMainThread } from 'node:worker_threads';

const ballastBytes = 100_000_000;
const kept = [];
const grow = (bytes) => kept.push(new Array(bytes / 8).fill(0.5));

const actions = {
  exit: () => process.exit(3),
  throw: () => {
    throw new Error('thrown in the core');
  },
  fillMemory() {
    for (;;) grow(800_000);
  },
};

const channel = new BroadcastChannel('core-preload');
channel.unref();
if (isMainThread) process.on('SIGUSR2', () => channel.postMessage(undefined));
else {
  if (process.env.CORE_ACTION === 'throw') grow(ballastBytes);
  channel.onmessage = () => actions[process.env.CORE_ACTION]();
}
