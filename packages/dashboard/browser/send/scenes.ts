import { draw, type Scene, scenes, readingsPerScene } from '../../../tools/terminal/scenes.js';
import { h, setText } from '../dom.js';
import { capitalized, words } from '../format.js';
import { wait } from '../wait.js';
import type { Send } from './send-panel.js';

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
const turns: Readonly<Record<Scene['name'], typeof worried>> = {
  calm: better,
  relaxed: better,
  focused: worried,
  stressed: worried,
  acute_stress: worried,
};

/** Returns buttons that play the scenes of `state-service tools demo`: each sends readings of the present time, one per second, and two turns. */
export function createScenes(send: Send) {
  let playing = new AbortController();
  const progress = h('progress', {
    max: readingsPerScene,
    value: 0,
    hidden: true,
    'aria-label': 'Readings of the scene',
  });
  const name = h('span', { class: 'hint', role: 'status' });
  const stop = h(
    'button',
    { type: 'button', class: 'secondary small', hidden: true, onclick: () => playing.abort() },
    'Stop',
  );

  const play = async (scene: Scene) => {
    playing.abort();
    const own = (playing = new AbortController());
    stop.hidden = progress.hidden = false;
    setText(name, `Playing “${words(scene.name)}”`);
    for (let sent = 0; sent < readingsPerScene && !own.signal.aborted; sent += 1) {
      if (sent > 0) await wait(paceMs, own.signal);
      const turn = turnReadings.includes(sent) ? turns[scene.name] : {};
      if (own.signal.aborted || !(await send({ ...draw(scene, Math.random), ...turn }))) break;
      if (own === playing) progress.value = sent + 1;
    }
    if (own !== playing) return;
    stop.hidden = progress.hidden = true;
    setText(name, own.signal.aborted ? 'Stopped.' : `Played “${words(scene.name)}”.`);
  };
  const buttons = scenes.map((scene) =>
    h(
      'button',
      { type: 'button', class: `scene ${scene.name}`, onclick: () => void play(scene) },
      capitalized(words(scene.name)),
    ),
  );
  return {
    element: h(
      'div',
      { class: 'scenes' },
      h('h3', {}, 'Play a scene'),
      h('div', { class: 'scene-buttons' }, ...buttons),
      h('p', { class: 'scene-progress' }, progress, name, stop),
    ),
    stop: () => playing.abort(),
  };
}
