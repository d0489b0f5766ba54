interface PublishedPerson {
  readonly digest: string;
  /** Topic of the state. */
  readonly topic: string;
  readonly availability: string;
}

export function discoveryTopic(digest: string): string {
  return `homeassistant/device/realtime_state_${digest}/config`;
}

/** Returns the message that makes a person a device of Home Assistant (MQTT discovery, one message per device). */
export function describeDevice({ digest, topic, availability }: PublishedPerson): object {
  const id = `realtime_state_${digest}`;
  const sensor = (key: string, name: string, more: object = {}) => ({
    [key]: {
      ...{ platform: 'sensor', name, unique_id: `${id}_${key}`, state_topic: topic },
      value_template: `{{ value_json.${key} }}`,
      ...more,
    },
  });
  const measured = { state_class: 'measurement' };
  return {
    device: { identifiers: [id], name: `Person ${digest.slice(0, 6)}`, manufacturer: 'Realtime State Service' },
    origin: { name: 'state-service tools mqtt' },
    availability_topic: availability,
    components: {
      ...sensor('state', 'Stress state', { icon: 'mdi:heart-pulse' }),
      ...sensor('stress_score', 'Stress score', measured),
      ...sensor('confidence', 'Confidence', measured),
      ...sensor('raised', 'Raised heart rate, likely cause', { icon: 'mdi:help-circle-outline' }),
    },
  };
}
