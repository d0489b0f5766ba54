import { buildWordTable, findNumber } from './tables.js';
import { hashWord } from './tokens.js';

/**
 * Explicit statements of a danger in the present and in the first person. They only add findings to those of the model:
 * "my mom died two years ago and i want to kill myself" must be found, whatever the other words are. Each pattern
 * reads a text in lower case without apostrophes, in which a space stands for everything except letters.
 */

/** Words that end a statement of "I": denials, conditions, other people and the past. */
const stops =
  'not|never|no|dont|didnt|wouldnt|wont|cant|cannot|couldnt|havent|isnt|if|would|could|unless|without|stop|stopped|he|she|they|we|you|her|his|him|was|used|had|almost|nearly|thought|wanted|says|said|asked';
/** Up to this number of other words. */
const gap = (words: number): string => `(?:(?!(?:${stops})\\b)[a-z]+ ){0,${words}}`;

/** The first person: the beginning of many patterns. */
export const i = `(?<!\\b(?:if|whether|feel like|felt like|feels like) )\\b(?:i|im|ive|ill|id|i m|i ve|i ll) ${gap(4)}`;
const want =
  '(?:want|wants|wan|wana|wnat|wanna|gona|wanting|wish|intend|mean|plan|planning|decided|resolved|going|gonna|ready|need|about|trying|try|tempted|determined|prefer)';
const die =
  '(?:(?:kill|kil|hang|drown|shoot|unalive|murder|poison|off|end) (?:my ?self|my ?slef)|kms|killmyself|end (?:it (?:all|tonight|today|now|right now|soon|tomorrow|for good)|it$|my (?:own )?life|everything)|take my (?:own )?life|commit suicide|do away with my ?self|do my ?self in|die|be dead|stop (?:living|existing)|not be alive|not wake up (?:again|any ?more)|join (?:him|her|them) in (?:death|the grave))';
const dying =
  '(?:suicide|suicidal|killing my ?self|hanging my ?self|drowning my ?self|shooting my ?self|ending (?:it all|my (?:own )?life)|taking my (?:own )?life|being dead)';
/** Figures of speech. */
const literal =
  '(?! (?:of|from|laughing|lol|lmao|haha|hehe|for|at|in(?! my sleep)|with|on stage|on the spot|if|alone|rather|when i get|off|to know))';
const now =
  '(?:again|tonight|today|now|right now|last night|yesterday|this (?:morning|evening|week)|on purpose|every (?:day|night|evening|time))';
/** Not long ago, and no figure of speech: "an overdose of sun". */
const present =
  '\\b(?! (?:of (?!(?:my |the |some )?(?:pills|tablets|meds|medication|insulin))|by (?:accident|mistake)|(?:when|while) i was|years|months|as a|once|back|in (?:my|the)|for (?:the|a) (?:scene|role|play)))';
const hurt = '(?:cut|hurt|harm|burn|injure|punish|scratch|starve|bite|hit|punch)';
const hurting = '(?:cutting|hurting|harming|burning|injuring|punishing|scratching|starving|biting|hitting|punching)';
const limb = '(?:my ?self|my (?:own )?(?:arm|arms|wrist|wrists|leg|legs|thigh|thighs|skin|hand|hands|stomach))';
const he =
  '\\b(?:he|she|my (?:husband|wife|boyfriend|girlfriend|partner|ex|dad|father|stepdad|stepfather|mom|mum|mother|stepmom|brother|uncle|son|boss|roommate|landlord))';
const hits = '(?:hits|beats|punches|kicks|chokes|slaps|rapes|strangles|molests|gropes|abuses|stalks)';

/** Words of which each pattern requires one. A message without any of them is not compared with the patterns. */
export const dangerWords =
  'kill kil kms killmyself kills killing hang hanging drown drowning shoot shooting unalive murder poison off myself self myslef slef selfharm die died dying dead death grave ' +
  'suicide suicidal end ending life alive exist existing live living born wake slit slitting slash slashing opening open wrist wrists veins throat bridge roof building balcony cliff ' +
  'train truck bus car traffic overdose pills tablets meds medication bottle note letter cut cutting burn burned burnt burning arm arms leg legs thigh thighs skin hand hands ' +
  'stomach hits beats punches kicks chokes slaps rapes strangles molests gropes abuses stalks choked strangled raped punched kicked beat hit slapped attacked stabbed abused ' +
  'beaten assaulted molested rape stab strangle house flat room apartment afraid scared terrified grabs grabbed drags dragged pins pinned holds held shoves shoved throws threw pushes ' +
  'pushed slams slammed neck head mouth face threatens threatened threatening stalking following beating hitting blackmailing abusing molesting groping stalked blackmailed ' +
  'trafficked groped mugged noose bleach antifreeze od forced forces forcing locks locked hurt touches touched touching sexually';

export const dangerPatterns = {
  suicidal_thoughts: [
    `${i}${want} (?:to )?${gap(2)}${die}\\b${literal}`,
    `${i}(?:think|thinking|dream|dreaming|fantasizing|obsessed) ${gap(2)}(?:of|about|with) ${gap(2)}${dying}\\b`,
    `^(?:please |just |really |honestly |so |and |but )?(?:want|wanna|going|gonna|ready) (?:to )?${gap(1)}${die}\\b${literal}`,
    `\\b(?:and|but|because|so|now|today|tonight) ${want} (?:to )?(?:kill my ?self|kms|die|end my life|be dead)\\b${literal}`,
    `\\b(?:i am|im|i feel|i am feeling|im feeling|ive been|i have been) (?:so |really |very |still |actively |deeply |a bit |just )?suicidal\\b`,
    `\\b(?:feeling |am )?suicidal (?:again|tonight|right now|every day|all the time)\\b`,
    `(?<!\\b(?:he|she|they|you|people|not|dont) )(?<!\\b(?:used to|would) )\\bwish (?:that )?i (?:(?:was|were) (?:dead|never born|not alive)|had (?:never been born|died))\\b`,
    `(?<!\\b(?:if|whether) )\\b(?:i|im|ive) (?:keep |still |do |am |just |always |been |have been )*(?:have|having|get|getting) ${gap(3)}(?:suicidal thoughts|thoughts of ${dying})`,
    `\\b(?:suicidal thoughts|thoughts of suicide) (?:are|keep|have come|came) (?:back|coming|getting|louder|returning|worse)\\b`,
    `\\bi (?:have |just |really |honestly )*(?:attempted suicide|(?:tried|attempted) to (?:kill my ?self|take my (?:own )?life|end my (?:own )?life|hang my ?self)) (?:last week|${now})`,
    `${i}(?:made up my mind|decided|have a plan|got a plan|am prepared|know how) to ${gap(1)}${die}\\b${literal}`,
    `\\bi (?:really |just |honestly |truly |simply )*(?:do not|dont|no longer) (?:want|wanna|wish) (?:to )?(?:be alive|live|exist|wake up(?= (?:tomorrow|again|any ?more|ever)\\b)|wake up$)(?: any ?more| any longer| at all)?\\b(?! (?:in|with|at|here|there|like|on|near|by|next|under|off|out))`,
    `\\bi (?:really |just |honestly |truly )*(?:can not|cannot|cant) (?:live|go on living) any ?more\\b|\\b(?:i|ive) (?:really |just |can )?(?:see|have|got|find) no (?:more )?(?:reason|point) (?:to live|to be alive|in living|to stay alive)\\b`,
    `\\bi (?:will|am going to|am gonna) be dead (?:by|before|tonight|tomorrow|soon|when you)\\b`,
    `${i}(?:will|shall|might|may|should|must|just) (?:just |actually |really |now |as well |have to )*(?:(?:kill|hang|drown|shoot) my ?self|end my (?:own )?life|take my (?:own )?life|commit suicide|do away with my ?self)\\b${literal}`,
    `${i}(?:killing|hanging|drowning|shooting|offing) my ?self (?:tonight|today|now|tomorrow|soon|this|after|before|as soon|when)\\b`,
    `${i}ending (?:it all|it (?:tonight|today|now|tomorrow)|my (?:own )?life)\\b`,
    `${i}(?:slit|slitting|slash|slashing|open|opening) my (?:own )?(?:wrist|wrists|veins|throat)\\b`,
    `${i}${want} (?:to )?${gap(1)}(?:jump|step|throw my ?self|walk|drive) ${gap(2)}(?:off (?:a|the|that|this|my) (?:bridge|roof|building|balcony|cliff)|in front of (?:a|the) (?:train|truck|bus|car)|under (?:a|the) train|into traffic)\\b`,
    `${i}${want} (?:to )?(?:overdose|(?:take|swallow) (?:all|every|the whole|a whole) ${gap(3)}(?:pills|tablets|meds|medication|bottle))\\b`,
    `${i}(?:feel like|close to|plan on|planning on|considering|contemplating|serious about|looking forward to) ${gap(1)}${dying}\\b`,
    `\\b(?:cant|cannot|can not) stop thinking (?:of|about) ${gap(2)}(?:${dying}|death|how to die)\\b`,
    `\\bi (?:really |just |do |honestly )*hope (?:that )?i (?:die|do not wake up|dont wake up|never wake up)\\b(?! (?:late|early|before|next to))${literal}`,
    `\\b(?:i would|id|i d) rather be dead\\b(?! than(?! (?:live|be here|go on|feel|alive|keep|like this|exist|wake)))`,
    `\\bi (?:just |really |only )*want my (?:whole )?life to (?:end|be over|stop)\\b`,
    `\\bi (?:also |just |have |really )*(?:thought|was thinking|been thinking) (?:of|about) ${gap(1)}${dying} ${now}\\b`,
    `\\bhow (?:to|do i|can i|should i|would i) (?:kill my ?self|end my (?:own )?life|hang my ?self)\\b`,
    `\\b(?:i|ive|i ve) (?:have |just |already )*(?:(?:took|taken|swallowed) (?:all|too many|so many|a lot) (?:of )?(?:my |the )?(?:pills|tablets|meds) (?:to die|because i want to die|so i die)\\b|(?:(?:took|taken) an? (?:overdose|od)|(?:swallowed|drank|drunk) (?:some |the |a )?(?:rat )?(?:bleach|poison|antifreeze))${present}|(?:got |made |tied )*(?:a|the|my) noose (?:ready|tied|up|hanging|(?:a)?round my neck)\\b(?! for (?:the|our|my) (?:play|game|scene|show|prop)))`,
    `\\bi (?:just |really |honestly |do |only )*deserve to (?:die|be dead)\\b`,
    `\\b(?:my|this is my) (?:suicide|goodbye) (?:note|letter) is (?:written|ready|done|finished|on)\\b`,
  ],
  self_harm: [
    `${i}(?:want|wanna|need|urge|going|gonna|about|tempted|have) (?:to )?${gap(1)}(?:cut|hurt|harm|burn|injure|punish) my ?self\\b(?! (?:off|a|some|loose|free|out|slack))`,
    `\\burge to (?:cut(?! (?:down|back|my hair|off))|hurt my ?self|harm my ?self|self harm|burn my ?self)\\b`,
    `\\bi (?:have |just |also )*(?:cut|burned|burnt|hurt|harmed|scratched|hit|bit) ${limb} ${gap(3)}(?:again|on purpose|because i deserve|to feel|to punish|tonight|today|last night|yesterday|this morning)\\b(?<!(?:shaving|cooking|peeling|chopping)[a-z ]{0,12})`,
    `\\bi (?:keep|kept|cant stop|cannot stop|can not stop|started|start|am back to|went back to|am|have been|been|m) (?:cutting|self harming|hurting|burning|starving|punishing|harming) (?:my ?self|my (?:own )?(?:arm|arms|leg|legs|thighs|wrists|skin)|again)\\b(?! (?:off|slack|short|out|in half))`,
    `\\b(?:cant|cannot|can not) stop (?:cutting(?: my ?self|$| and | again)|self harming|hurting my ?self|harming my ?self|burning my ?self)\\b`,
    `\\b(?:i am|im|i still|i do|i|i have|ive|i just) (?:started |been )?self ?harm(?:ing|ed)?(?! (?:when i was|years|as a|in my|for|from))\\b`,
    `${i}(?:need|want|have|going|wanna) to cut (?:right now|again|tonight|so bad|$)`,
    `\\b(?:i|ive) (?:have |just )*relapsed and (?:i )?(?:cut|burned|burnt|hurt)\\b`,
    `\\bi (?:always |still |often |just |do |sometimes )*${hurt} ${limb} (?:(?:in|on) (?:the|my) [a-z]+ )?(?:when|whenever|because|until|till|every|on purpose|with a (?:razor|blade|knife|lighter)|again)\\b(?! (?:i (?:shave|cook|fell|was|play)|shaving|cooking))`,
    `${i}${hurting} ${limb} (?:again|on purpose|every|tonight|to feel|to cope|to punish)\\b`,
  ],
  violence: [
    `${he} ${gap(2)}${hits} (?:me|us)\\b(?! (?:at|in|to|with (?:a|an|the|his|her|my) (?:smile|pillow|cushion|text|towel|balloon|snowball|water|hug)|by|up|on|one|hard that|that|like|for|down the))`,
    `${he} (?:just |has just |also )?(?:choked|strangled|raped|punched|kicked|beat|hit|slapped|attacked|stabbed) me (?:again|up|last night|tonight|yesterday|today|this (?:morning|evening|week)|so hard|until|when he|when she|because|with (?:a|an|his|her|the|my) (?:knife|fork|belt|bat|bottle|hammer|stick|cord|chair|pan|scissors|hanger))\\b`,
    `${he} ${gap(2)}(?:raped|molested|sexually assaulted) me\\b(?! (?:when i was|years|as a|in the (?:book|film|movie|story)))`,
    `\\b(?:i|im|ive) (?:am |m |have )?(?:being|been|keep being|keep getting) (?:physically |sexually )?(?:abused|beaten|hit|raped|assaulted|molested) (?:at home|at work|by|every|again)\\b`,
    `\\bi (?:was|got|am being|have been|was just|just got|keep getting) (?:being )?(?:raped|abused|beaten up|assaulted|strangled|molested|stabbed|beaten)(?:$| (?:by|last|yesterday|tonight|today|again|this))(?! (?:a dog|a cat|a bee|the price|how|the team|my grand))`,
    `${he} ${gap(2)}(?:will|is going to|is gonna|is about to|threatens to|threatened to|threatens that (?:he|she) will|said (?:that )?(?:he|she) will|says (?:that )?(?:he|she) will) (?:kill|murder|rape|stab|shoot|strangle) (?:me|us)\\b(?! (?:if (?:i(?! (?:ever|leave|left|tell|told|go|talk|call|scream|report|run|try|say|move|divorce))|the)|when (?:he|she) (?:sees|finds|hears)|for|lol|haha|in (?:the|this|our) (?:next|last|game|match)))`,
    `${he} (?:wont|will not|does not|doesnt|never|didnt) let (?:me|us) (?:leave the (?:house|flat|room|apartment)|out of the (?:house|flat|room))`,
    `\\bi (?:am|feel) (?:so |really |very )?(?:afraid|scared|terrified) (?:of|that) my (?:husband|wife|boyfriend|girlfriend|partner|ex|dad|father|stepdad|mom|mum|mother)(?: will (?:hurt|kill|hit|beat) me)?\\b(?! (?:dying|dies|leaving|will (?:leave|find|die|be)|getting|losing|s ))`,
    `${he} ${gap(2)}(?:grabs|grabbed|drags|dragged|pins|pinned|holds|held|shoves|shoved|throws|threw|pushes|pushed|slams|slammed) me (?:by (?:the|my) (?:throat|hair|neck|arm|wrist)|against (?:the|a) wall|down (?:on|onto|the stairs)|across the (?:room|floor|kitchen)|to the (?:floor|ground))\\b`,
    `\\b(?:put|puts|held|holds|had|has) (?:his|her|a|the) (?:hand|hands|gun|knife|belt) (?:around|to|on|over|against) my (?:throat|neck|head|mouth|face)\\b`,
    `${he} ${gap(2)}(?:threatens|threatened|(?:is |s |keeps |has been )?threatening) (?:me|us) with (?:a|his|her|the) (?:knife|gun|fist|fists|belt|bat|bottle|axe|machete)\\b`,
    `(?:${he}|\\b(?:someone|somebody|this guy|a man)) (?:s |is |has been |wont stop |keeps )(?:stalking|following|beating|hitting|threatening to|threatening|blackmailing|abusing|molesting|groping|touching) (?:me|us)\\b(?! (?:on|at cards|at chess|back|around like|with kindness))`,
    `\\bi (?:am|m|was|am being|have been|got|keep getting|keep being) (?:being )?(?:stalked|blackmailed|trafficked|groped|mugged|sexually abused|threatened with (?:a|death)) (?:by (?:my|a|an|the|him|her|someone|somebody)|at home|every|again|last)\\b`,
    `\\b(?:forced|forces|forcing) me (?:to (?:have sex|sleep with|undress|touch|marry)|into (?:sex|bed|a marriage))\\b`,
    `${he} ${gap(2)}(?:locks|locked) me (?:in (?:the|my|our|a)|inside|up)\\b`,
    `\\b(?:afraid|scared|terrified) (?:that )?(?:he|she|they|hell|shell) (?:will |is going to |are going to |might |is gonna )?(?:kill|hurt|hit|beat|rape|shoot) (?:me|us)\\b`,
    `\\bbeats (?:me|us) up\\b|\\b(?:hits|slaps|punches|kicks|chokes) (?:me|us) (?:when|whenever|every time|every day|every night|with (?:a|his|her|the) (?:belt|stick|bottle|hammer|cable|shoe|fist))\\b`,
    `\\b(?:touches|touched) me (?:at night|down there|under my|when (?:mom|mum|my mother|we are alone|nobody|no one)|and i (?:do not|dont|did not|didnt) want)\\b`,
    `${he} ${gap(2)}(?:threatened|threatens|(?:is |s |keeps |has been )?threatening) to (?:kill|hurt|shoot|stab|beat|rape|burn|strangle|find) (?:me|us)\\b`,
    `\\b(?:will|going to|gonna|would) kill me if i (?:leave|left|tell|told|go to the police|divorce|run)\\b`,
  ],
} as const;

const table = buildWordTable(dangerWords.split(' ').map(hashWord), 1);

/** Returns true for the hash of one of the {@link dangerWords}. */
export const isDangerWord = (hash: number): boolean => findNumber(table, hash) !== 0;
