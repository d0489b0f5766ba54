import { draw, type Scene, scenes, readingsPerScene } from '../../../tools/terminal/scenes.js';
import { h, show } from '../../../ui/dom.js';
import { label, words } from '../../../ui/format.js';
import { bar, button, createStatus } from '../../../ui/parts.js';
import { wait } from '../service.js';
import type { Send } from './send.js';

const paceMs = 1_000;
/** The readings of a scene with a conversation turn, from 0. A topic needs two sightings to become active. */
const turnReadings = [4, 8];
const worried = {
  user_message: 'I am worried that I will lose my job.',
  ai_response: 'What worries you most about it?',
};
const better = {
  user_message: 'I talked to my boss, and I will not lose my job. I feel much better now.',
  ai_response: 'That is good to hear.',
};

const isCalm = ({ name }: Scene) => name === 'calm' || name === 'relaxed';

/** Returns buttons that play the scenes of `state-service tools demo`: each sends readings of the present time, one per second, and two turns. */
export function createScenes(send: Send, signal: AbortSignal): HTMLElement {
  let playing = new AbortController();
  const progress = h('span');
  const name = createStatus('span.hint');
  const stop = button('Stop', () => playing.abort());
  const setPlaying = (isPlaying: boolean) => {
    for (const it of [progress, stop]) it.hidden = !isPlaying;
  };
  const play = async (scene: Scene) => {
    playing.abort();
    const own = (playing = new AbortController());
    setPlaying(true);
    name.say(`Playing “${words(scene.name)}”`);
    for (let sent = 0; sent < readingsPerScene && !own.signal.aborted; sent += 1) {
      if (sent > 0) await wait(paceMs, own.signal);
      const turn = turnReadings.includes(sent) ? (isCalm(scene) ? better : worried) : {};
      if (own.signal.aborted || !(await send({ ...draw(scene, Math.random), ...turn }))) break;
      if (own === playing) show(progress, bar('Readings of the scene', (sent + 1) / readingsPerScene));
    }
    if (own !== playing) return;
    setPlaying(false);
    name.say(own.signal.aborted ? 'Stopped.' : `Played “${words(scene.name)}”.`);
  };
  const buttons = scenes.map((scene) =>
    button(label(scene.name), () => void play(scene), { class: `banded ${scene.name}` }),
  );
  setPlaying(false);
  signal.addEventListener('abort', () => playing.abort());
  return h('div', h('h3', 'Play a scene'), h('div.line', buttons, progress, name.element, stop));
}
