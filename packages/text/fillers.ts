/**
 * Words that name no topic: greetings, pleasantries, function words, and words about the conversation. Chosen by
 * judgment.
 */
const words =
  'out off over away around about hi hello hey hiya heya greetings good morning afternoon evening night bye goodbye goodnight later thanks ' +
  'thank thankyou thx ty welcome ok okay k kk yes yeah yep yup ya no nope nah sure cool alright right fine well ' +
  'great nice lol haha hehe hmm um uh oh ah wow sorry please hope glad happy awesome perfect excellent a an the ' +
  'and or but so very really too much many more just also still even only quite pretty bit little lot is are am ' +
  'was were be been being do does did done doing have has had get got go going gonna it its that thats this these ' +
  'those there here in on at to of for from with by as if then than now today tonight yesterday tomorrow lately ' +
  'recently currently moment day week weekend time i im ive id ill me my you u ur your youre we us our he she him ' +
  'her they them who what whats how why when where which can could would should will may might let lets want ' +
  'wanna need like know knew think thought guess mean say said saying tell told talk talking talked chat chatting ' +
  'speak speaking ask asking asked see saw hear heard meet meeting call text reply respond answer listen check ' +
  'checking up down not dont didnt isnt wasnt havent hasnt nothing none anything something everything all some ' +
  'any new big deal problem problems situation situations stuff thing things yet ever never again ' +
  'name human bot robot friend buddy dude man bro mate sir anyone someone one two minute minutes help helping ' +
  'helped';

export const fillers: readonly string[] = words.split(' ');
