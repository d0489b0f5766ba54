/*
 * Names of sports by their number, in English. `sports.ts` says how much a person moves in them. Sources: Terra,
 * docs.tryterra.co/unified-api/activity-types. Samsung, developer.samsung.com, Samsung Health, predefined exercise types.
 */

type Sports = Readonly<Record<number, string>>;

/** `metadata.type` of an activity of Terra. */
export const terraSports: Sports = {
  ...{ 0: 'driving', 1: 'biking', 3: 'resting', 4: 'unknown exercise', 5: 'unknown exercise', 7: 'walking' },
  ...{ 8: 'running', 9: 'aerobics', 10: 'badminton', 11: 'baseball', 12: 'basketball', 13: 'cross-country skiing' },
  ...{ 14: 'biking', 15: 'biking', 16: 'biking', 17: 'spinning', 18: 'biking', 19: 'biking', 20: 'boxing' },
  ...{ 21: 'calisthenics', 22: 'circuit training', 23: 'cricket', 24: 'dancing', 25: 'elliptical', 26: 'fencing' },
  ...{ 27: 'football', 28: 'football', 29: 'football', 30: 'frisbee', 31: 'gardening', 32: 'golf', 33: 'gymnastics' },
  ...{ 34: 'handball', 35: 'hiking', 36: 'hockey', 37: 'horseback', 38: 'housework', 39: 'jumping rope' },
  ...{ 40: 'kayaking', 41: 'strength', 42: 'kickboxing', 43: 'surfing', 44: 'martial arts', 45: 'meditation' },
  ...{ 46: 'martial arts', 47: 'interval training', 48: 'paragliding', 49: 'pilates', 50: 'horseback' },
  ...{ 51: 'racquetball', 52: 'rock climbing', 53: 'rowing', 54: 'rowing', 55: 'rugby', 56: 'jogging', 57: 'running' },
  ...{ 58: 'running', 59: 'sailing', 60: 'scuba', 61: 'skating', 62: 'skating', 63: 'skating', 64: 'skating' },
  ...{ 65: 'skiing', 66: 'skiing', 67: 'cross-country skiing', 68: 'skiing', 69: 'skiing', 70: 'cross-country skiing' },
  ...{ 71: 'sledding', 72: 'sleep', 73: 'snowboarding', 74: 'motor sports', 75: 'snowshoeing', 76: 'squash' },
  ...{ 77: 'stair climbing', 78: 'stair climbing', 79: 'paddling', 80: 'strength', 81: 'surfing', 82: 'swimming' },
  ...{ 83: 'swimming', 84: 'swimming', 85: 'table tennis', 86: 'football', 87: 'tennis', 88: 'treadmill' },
  ...{ 89: 'volleyball', 90: 'volleyball', 91: 'volleyball', 92: 'wakeboarding', 93: 'walking', 94: 'nordic walking' },
  ...{ 95: 'walking', 96: 'water polo', 97: 'weightlifting', 98: 'wheelchair', 99: 'surfing', 100: 'yoga' },
  ...{ 101: 'dancing', 102: 'diving', 103: 'rowing', 104: 'skating', 105: 'skating', 106: 'curling', 108: 'other' },
  ...{ 109: 'sleep', 110: 'sleep', 111: 'sleep', 112: 'resting', 113: 'interval training', 114: 'hiit' },
  ...{ 115: 'interval training', 116: 'walking', 119: 'archery', 120: 'softball', 122: 'breathing', 126: 'triathlon' },
};

/** `exercise_type` of Samsung Health. 0 is one that the person made. */
export const samsungSports: Sports = {
  ...{ 1001: 'walking', 1002: 'running', 2001: 'baseball', 2002: 'softball', 2003: 'cricket', 3001: 'golf' },
  ...{ 3002: 'billiards', 3003: 'bowling', 4001: 'hockey', 4002: 'rugby', 4003: 'basketball', 4004: 'football' },
  ...{ 4005: 'handball', 4006: 'football', 5001: 'volleyball', 5002: 'volleyball', 6001: 'squash', 6002: 'tennis' },
  ...{ 6003: 'badminton', 6004: 'table tennis', 6005: 'racquetball', 7001: 'tai chi', 7002: 'boxing' },
  ...{ 7003: 'martial arts', 8001: 'dancing', 8002: 'dancing', 8003: 'dancing', 9001: 'pilates', 9002: 'yoga' },
  ...{ 10001: 'stretching', 10002: 'jumping rope', 10003: 'hula hoop', 10004: 'calisthenics', 10005: 'calisthenics' },
  ...{ 10006: 'calisthenics', 10007: 'circuit training', 10008: 'interval training', 10009: 'jumping jacks' },
  ...{ 10010: 'interval training', 10011: 'strength', 11001: 'skating', 11002: 'paragliding', 11003: 'shooting' },
  ...{ 11004: 'archery', 11005: 'horseback', 11007: 'biking', 11008: 'frisbee', 11009: 'skating', 12001: 'aerobics' },
  ...{ 13001: 'hiking', 13002: 'rock climbing', 13003: 'hiking', 13004: 'mountain biking', 13005: 'running' },
  ...{ 14001: 'swimming', 14002: 'aerobics', 14003: 'paddling', 14004: 'sailing', 14005: 'scuba', 14006: 'swimming' },
  ...{ 14007: 'kayaking', 14008: 'surfing', 14009: 'paddling', 14010: 'rowing', 14011: 'surfing', 14012: 'sailing' },
  ...{ 15001: 'stair climbing', 15002: 'strength', 15003: 'biking', 15004: 'rowing', 15005: 'treadmill' },
  ...{ 15006: 'elliptical', 16001: 'cross-country skiing', 16002: 'skiing', 16003: 'skating', 16004: 'skating' },
  ...{ 16006: 'ice hockey', 16007: 'snowboarding', 16008: 'skiing', 16009: 'snowshoeing' },
};
