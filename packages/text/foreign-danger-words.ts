/**
 * Roles of words in statements of a danger, by language. Each text is a pattern of alternatives: words and short phrases as the
 * tokenizer writes them. A group is not captured, `~2` stands for up to two words, and doubled letters count as one.
 */
export interface DangerWords {
  /** Rewrites of short forms and frequent mistakes before the roles are found: `pattern → text`, separated by `; `. */
  readonly rewrites?: string;
  /** True if the verb of a wish stands at the end: "sterben will". */
  readonly isVerbLast?: true;
  /** True if verbs of A contain the object "me". */
  readonly hasObject?: true;
  readonly roles: Readonly<Partial<Record<DangerRole, string>>>;
}

/** The letter of each role. */
export type DangerRole = keyof typeof dangerRoles;
export const dangerRoles = {
  Y: 'a whole statement of violence suffered',
  K: 'a whole statement of suicidal thoughts',
  H: 'a whole statement of self-harm',
  J: 'figure of speech or joke',
  R: 'words of others, fiction or past',
  O: 'without me',
  I: 'condition or report',
  T: 'suicidal thoughts',
  D: 'to die or to kill oneself',
  S: 'suicide',
  X: 'way out',
  Z: 'to think of',
  W: 'to want, plan or deserve',
  V: 'to live, to exist or to wake up',
  G: 'reason, sense, wish',
  L: 'life',
  C: 'can',
  N: 'negation',
  M: 'any more',
  P: 'place or company',
  U: 'to kill or to hurt, of oneself only with E',
  E: 'me or myself',
  B: 'better',
  Q: 'person who hurts',
  A: 'to hit or to threaten',
  F: 'fear',
} as const;

const german: DangerWords = {
  rewrites:
    '(?<=[^aeq])ue → u; ae → a; oe → o; \\b(?:nich|ned|net|nit|nimer|ne mer)\\b → nicht; \\b(?:isch|ick|i|ik)\\b → ich; \\bhab\\b → habe; \\bmer\\b → mehr; \\bselbs?mor[dt]\\w* → selbstmord; \\bsu[ie]?[zsc]id\\b → suizid',
  isVerbLast: true,
  roles: {
    X: 'ausweg|losung|erlosung',
    K: 'bringe? (ich )?mich ~2um|(tote|erhange|erschiese|vergifte) (ich )?mich|nehme? (ich )?mir ~2das leben|mache? ~2schlus mit (meinem|dem) leben|springe? ~2(von (der|einer) brucke|vom dach|vor (den|einen) zug)|meine?n? abschiedsbriefe?|abschiedsbrief geschrieben|(ale|zu viele) ~1(tableten|pilen|schlaftableten) (genomen|geschluckt)|lebensmude|suizidal|verdiene? ~1(den tod|zu sterben|nicht zu leben)|wie bringe? (ich|man) (mich|sich) um|(ware|bin) ~2(beser|lieber|gern|gerne) (tot|nie geboren|nicht mehr (da|hier|am leben))|ich ware ~2(tot|nie geboren)|ware ich ~2(tot|nie geboren)|hofe ~3(nicht mehr|nie wieder|nie mehr) auf(zu)?wachen?|leben ~2(sinlos|wertlos|nichts wert|nicht lebenswert)|nicht (mehr )?weiter ?leben|brucke ~3springen|warum (ich )?~1(noch )?(lebe|existiere|am leben bin)|(packung|schachtel|uberdosis|handvol) ~1(tableten|pilen|schlaftableten)? ?(geschluckt|genomen)|(satt|leid|mude) zu leben|(habe|bin) (das|mein) leben (so |echt )?(satt|leid)|seil ~4erhangen|kein bock mehr (auf|zu) (das |mein )?leben',
    H: '(mich|mir|habe) ~3in (den|die|meinen|meine) (arme?|unterarme?|beine?|oberschenkel|haut) geschniten|ritze? mich|ritzte? (ich )?mich|schneide? mich ~2(selbst|selber|wieder|absichtlich|wen|um)|schneide? mir ~2in (den|die|meinen|meine) (arme?|unterarme?|beine?|oberschenkel|haut)|(mich|mir) ~3(geritzt|selbst verletzt|selber verletzt|absichtlich (geschniten|verletzt|verbrant))|mich (wieder |gestern |heute )+geschniten|(arme?|unterarme?|beine?|oberschenkel) ~2(aufgeschniten|zerschniten|geritzt|aufgeritzt)|mich ~3(ritzen|zu ritzen|schneiden|zu schneiden|selbst verletzen|selbst zu verletzen|selber verletzen|verletzen will)|mir ~2(selbst|selber|absichtlich|wieder) ~2(weh|wehtun|wehzutun|schmerzen)|mir ~1(weh ?tun|wehzutun)|verletze? (ich )?mich (wieder |imer )*(selbst|selber)|selbstverletzung|verbrene? mich ~1(absichtlich|selbst|mit)|schneide? (ich )?mich (seit|heimlich|jeden|imer|oft|manchmal)|nicht aufhoren ~1(mich )?~1zu (ritzen|schneiden|verletzen)|tu[e]? (ich )?mir ~1(selbst |selber )?weh',
    Y: 'ich (werde|wurde|bin) ~4(geschlagen|vergewaltigt|misbraucht|mishandelt|verprugelt|gestalkt|bedroht|erprest)|bringt mich ~2um|(droht|drohte|gedroht) ~2mich ~1(umzubringen|zu (toten|schlagen))|wil mich (umbringen|toten)|(fast|packt) mich ~2an',
    J: 'vor (lachen|lange?weile|hunger|durst|scham|peinlichkeit|hitze|neugier|sehnsucht|mudigkeit|freude|kalte)|haha\\w*|lol|xd|witz|spas|scherz|scherze|zocken|peinlich|schach|turnier|rofl|alt',
    R: 'lied|song|songtext|film|serie|buch|roman|figur|zitat|gedicht|zeile|rolle|nachrichten|ubersetze?|ubersetzung|bedeutet|heist|schauspieler|spiel|satz|singt|schrieb|schreibt|text|strophe|fruher|damals|wolte|wolten|wir|ihr|du|hate|freund|freundin|jemand|man|opa|kolegin|kolege|bruder|schwester|dachte|angeblich|menschen mit|hilfe fur|thema|leute mit|werther',
    D: 'sterben|stirbt|verecken|krepieren|tot sein|tot|tod|tod sein|toten mich|suizid begehen|selbstmord begehen|(mir|mein) ~2(das|mein) leben (zu )?nehmen|mir ~1(das|mein) leben|(mein|dem|meinem|dieses|dem ganzen|alem) ~1(leben )?~1ein ende (zu )?(setzen|machen|bereiten)|(mein|dieses) leben (zu )?beenden|ales beenden|schlus (zu )?machen mit (dem|meinem) leben|mit (dem|meinem) leben schlus (zu )?machen|(von|vom) ~2(brucke|dach|hochhaus|balkon) (runter ?)?(zu )?springen|(vor|unter) (\\w+ ){1,2}(zug|bahn|auto) (zu )?(springen|werfen|schmeisen|legen|laufen)|pulsadern ~1(aufschneiden|aufzuschneiden)|nie (mehr|wieder) aufwachen|nie geboren|ale ~1(tableten|pilen) (zu )?(nehmen|schlucken)|uberdosis (zu )?nehmen|mir ~1was antun|mir etwas an(zu)?tun|mich ~1zu (erhangen|toten|erschiesen|vergiften|ertranken)|mich ~1umzubringen',
    I: 'wen|fals|ob|als|sagte?|meinte|gesagt',
    T: 'su[iz]+idgedanken|selbstmordgedanken|suizidale gedanken|todesgedanken|todeswunsch|todessehnsucht',
    S: 'suizid|selbstmord|freitod|sterben wolen',
    O: 'ohne mich|wen ich ~1(tot|weg|nicht mehr da|nicht mehr) (bin|ware)',
    W: 'wil|mochte?|mus|werde|plane|uberlege|hofe|wunsche mir|wunschte?|sehne mich|vorhabe|habe vor|beschlosen|entschieden|bin bereit|kurz davor|bereit|habe lust|lust|wurde am liebsten|brauche|solte|verdient|wunsch|drang|am liebsten|versucht|versuche|traume|gedanken? spiele|spiele mit dem gedanken|entschlosen|mag',
    Z: '(denke|denken|dachte|nachdenke|gedacht|nachgedacht|gedanken?|denk)|daran denke|denke daran|denke daruber nach',
    V: 'leben|weiterleben|weiter ?machen mit (dem|meinem) leben|existieren|aufwachen|am leben sein|da sein|hier sein|weiter leben|auf der welt sein|auf dieser welt sein',
    G: 'grund|sin|wilen|lust|kraft|lebenswilen|lebensmut|lebensfreude|hofnung|zweck',
    L: 'leben|lebens|weiterzuleben|zu leben|existenz',
    C: 'kan|halte|ertrage',
    N: 'nicht|kein|keine|keinen|nie|niemals|ohne|niemand|keiner',
    M: 'mehr|langer',
    P: 'in|mit|bei|hier|dort|an|alein|zusamen|ohne|so|lang|lange|als',
    U: 'umbringen|umzubringen|toten|zu toten|erhangen|aufhangen|erschiesen|vergiften|ertranken',
    E: 'mich|mir',
    B: 'beser|gluklicher|glucklicher|leichter|froher|erleichtert|beste',
    Q: 'mein (man|freund|ex|exfreund|vater|papa|dad|stiefvater|bruder|onkel|opa|chef|partner|sohn|ehemann|verlobter|mitbewohner|nachbar|typ)|meine? (frau|freundin|muter|mama|stiefmuter|schwester|eltern|partnerin|lehrer)|er|sie|papa|mama',
    A: 'schlagt|schlagen|geschlagen|verprugelt|vergewaltigt|mishandelt|misbraucht|wurgt|gewurgt|trit|getreten|ohrfeigt|bedroht|gestosen|spert|eingespert|angegrifen|begrabscht|verprugeln|schubst|geschubst|zusamengeschlagen|stalkt|schlug|belastigt|zwingt zum sex',
    F: '(angst|todesangst|panik) ~1vor',
  },
};

const spanish: DangerWords = {
  rewrites:
    '\\b(?:q|k|ke|qe)\\b → que; \\b[kq]u?[iy]?eror?\\b → quiero; \\bx\\b → por; \\bbivir\\b → vivir; \\b(matar|morir|suicidar|cortar) me\\b → $1me; \\bsu[ie]?[sc]id → suicid; \\bya (?=vivir) → mas ',
  roles: {
    X: 'salida|solucion|opcion|escape',
    K: 'me (mato|suicido|ahorco|pego un tiro|tiro del puente|quito la vida|corto las venas)|(carta|nota)s? (de despedida|de suicidio|suicida)|(tome|tomado|tomarme|tomar) ~2(todas|monton|muchas|frasco|demasiadas|caja|bote) ~2(pastilas|medicamentos|somniferos)|(soy|estoy|siento) ~1suicida|ojala ~2(muera|muriera|muriese|muerta|muerto|despertara|despierte|nacido|existiera)|no haber nacido|nunca haber nacido|mejor muert[oa]|merezco (morir|la muerte)|no merezco vivir|como (puedo )?(suicidarme|matarme|morir sin dolor)|intente (suicidarme|matarme|quitarme la vida|ahorcarme)|que (dios )?me leve (ya|dios)|prefiero (estar )?muert[oa]|(cansad[oa]|hart[oa]) de (vivir|la vida|esta vida)|porque? (sigo|estoy) (todavia )?viv[oa]|(intentado|intente) ~1(suicidarme|matarme|quitarme)|no deberia (estar|seguir) (viv|en este mundo)|la vida no vale|odio (estar viv[oa]|vivir)',
    H: 'me ~2(corto|corte|cortado|cortando|cortar|rajo|quemo|queme|rasguno|arano) ~1(venas|brazos?|munecas?|piernas?|muslos?|piel|antebrazos?|otra vez|nuevo|navaja|cuchila|gilete|vidrio|proposito|para|cada vez|todas las noches|cuando|porque)|me corto|(quiero|necesito|ganas de|dejar de|vuelvo a|volvi a|impulso de|voy a|sigo|urge|parar de) ~1(cortarme|lastimarme|herirme|hacerme dano|autolesionarme|danarme|golpearme|quemarme)(?! (el pelo|el cabelo|las unas|el fleco|la barba))|(hago|hice|haciendo|haciendome|hacerme) (dano|cortes)( a mi)?|me lastimo|me autolesion\\w+|autolesion\\w*|me golpeo (a mi|la cabeza|contra)|no (puedo|logro|consigo) (dejar|parar) de (cortarme|autolesionarme|hacerme dano|lastimarme)|(me|mis) ~3cortar (los|las) (brazos|munecas|venas|piernas)|me quemo con|me corto (desde|a escondidas|en secreto|seguido)',
    Y: '(me|nos) (violaron|golpearon|agredieron|secuestraron|violo|han violado|han pegado|amenaza de muerte|amenazo de muerte|quiere matar|va a matar|quieren matar|obliga a tener|dieron una paliza|estan acosando|acosan)|abus(an?|aron|o) de mi|(fui|he sido|soy) ~1(violad[oa]|abusad[oa]|golpead[oa]|agredid[oa]|maltratad[oa]|victima de (violencia|maltrato|abuso))|sufro (violencia|maltrato|abusos?)|amenaz[oa] con (matarme|pegarme|hacerme)|miedo (de |a )?que me (mate|pegue|golpe|viole)|me (estan|esta) (golpeando|pegando|violando|maltratando|acosando|amenazando)|me (pego|golpeo|violo|maltrato) ~1(anoche|ayer|otra vez|de nuevo|hoy)|(que )?me va a matar',
    J: 'de (risa|la risa|hambre|sueno|verguenza|amor|aburimiento|calor|frio|ganas|curiosidad|ternura|envidia|emocion|nervios|pena ajena|tanto reir)|ja(ja)+\\w*|jeje\\w*|lol|xd|broma|bromeando|ajedrez|cabelo|pelo|cocinando|videojuego|viejo|vieja|anciano',
    R: 'cancion|pelicula|serie|libro|novela|personaje|poema|frase|verso|letra|canta|cantaba|escribio|traduce|traducir|significa|noticias?|actor|juego|obra|capitulo|cita|decia|anos|refran|queria|quiso|amigo|amiga|hermana|prima|primo|abuelo|vecino|elos|usted|cuando era|companera|companero|protagonista|titulo|hace|personas con|gente con|prevencion',
    I: 'si|dice|dijo|dicen',
    D: 'morir(me|te)?|morime|morirse|matarme|suicidarme|suicidar|quitar(me)? (la|mi) vida|(acabar|terminar) ~1con (mi vida|todo|esto|mi existencia|mi sufrimiento|este sufrimiento)|estar muert[oa]|desaparecer (para siempre|del mundo|de este mundo|de la tiera|de una vez)|desaparecer|dormir(me)? ~1(y no|para siempre)( volver a)?( despertar)?|no (volver a )?despertar|dejar de (vivir|existir)|(tirarme|lanzarme|saltar|aventarme|arojarme) ~2(puente|balcon|edificio|techo|ventana|tren|metro|vias|azotea)|cortarme las venas|ahorcarme|pegarme un tiro|volarme la cabeza|(tomarme|tomar) todas (las|mis) pastilas|no existir|(irme|partir|dejar|salir) (de )?este mundo|colgarme',
    T: '(pensamientos?|ideas?|impulsos?|ideacion|tendencias) (suicidas?|de (suicidio|muerte))',
    S: 'suicidio|(la|mi) muerte(?! d)',
    O: 'sin mi|si (yo )?(me muriera|me muero|me mato|no estuviera|muero|desapareciera|estuviera muert[oa])',
    W: 'quiero|quisiera|deseo|desearia|necesito|voy a|vo a|planeo|intento|estoy por|a punto de|gustaria|prefiero|preferiria|decidido|decidi|merezco|ganas de|deberia|tengo que|solo queda|dan ganas|planeando|considerando|idea de|ganas|espero|ruego|provoca|para que vivir',
    Z: '(pienso|pensando|pensado|pensar|obsesionad[oa]|fantaseo|sueno|contemplando|pense)|contemplando|idea del?',
    V: 'vivir|viviendo|existir|existiendo|despertar(me)?|viv[oa]|estar aqui|seguir (con vida|en este mundo|con mi vida)|en este mundo|con vida|estar en este mundo|seguir con esta vida',
    G: 'ganas|razon|razones|motivos?|sentido|voluntad|vale|merece|valor|fuerzas',
    L: 'vida|vivir|existencia|viviendo',
    C: 'puedo|aguanto|soporto',
    N: 'no|nunca|jamas|tampoco|ni|sin|ningun|ninguna|perdi|perdido|nadie',
    M: 'mas|ya',
    P: 'en|con|aqui|sola|solo|cerca|lejos|ala|sin|contigo|temprano|tarde',
    U: 'morir|matar|suicidar|ahorcar|colgar',
    E: 'me',
    B: 'mejor|felices|mejores|tranquilos',
    Q: 'mis? (marido|esposo|novio|pareja|padres?|papas?|madre|mama|padrastro|madrastra|hermanos?|ex|tio|abuelo|jefe|hijo|mujer|esposa|novia|companeros|primo|vecino|viejo|exnovio|suegro)|el|ela',
    A: 'pega|pegan|pego|golpea|golpean|golpeo|maltrata|maltratan|viola|violo|amenaza|amenazo|ahorca|ahorco|patea|pateo|empuja|empujo|enciera|tortura|abofetea|abofeteo|manosea|acosa|estrangula|pegado|golpeado|violado|pegar|golpear|amenazado|insulta y|punetazos|cachetadas|palizas?|golpes|pegar|patadas|manosea|toca por|violar',
    F: '(miedo|teror|panico) (a|de)',
  },
};

const french: DangerWords = {
  rewrites:
    '\\bj ?v[ea]u[xt]?\\b → je veux; \\bje veut?\\b → je veux; \\b(?:jsuis|chuis|chui|jsui)\\b → je suis; \\bjpense\\b → je pense; \\bj ?vais?\\b → je vais; \\bj ?peu[xt]?\\b → je peux; \\b([jdlmn]) (?=[aeiou]) → $1; \\b(?:pu|plu)\\b → plus; \\bmour+ire?\\b → mourir; \\benvi\\b → envie; \\bs[iu]+cid[ea]i?r?\\b → suicider; \\bje (?:me )?suicider\\b → je me suicide',
  roles: {
    X: 'isue|solution|sortie|echappatoire',
    K: 'je me (suicide|tue|pends|bute|flingue|jete sous|fous en lair|tire une bale)|letres? dadieu|(avale|pris|aval) ~2(tous|toutes|tout|plein|boite|trop|plaquete) ~2(medocs|medicaments|cachets|comprimes|somniferes)|(suis|sens|deviens) ~1suicidaire|merite ~1(de mourir|la mort|de crever|pas de vivre)|(jaurais|voudrais|jaimerais|prefere\\w*|aimerais) ~2(jamais|pas) ~1(naitre|existe|exister|etre ne|etre nee|reveiler|venu)|jespere ~3(reveiler|mourir)|(mieux|plutot) (etre )?morte?|coment ~2(me suicider|me tuer|me pendre|mourir sans)|(esaye|tente) ~1(me suicider|de me (tuer|suicider|pendre))|la vie ne (vaut|merite)|prefere (etre )?mort|(fatigue|fatiguee|marre|jen peux plus|lase) de (vivre|la vie|cete vie)|pourquoi je (suis|vis) (encore|toujours)|en peux plus de (vivre|cete vie)',
    H: 'me ~1(scarifie[re]?s?|mutile[re]?|tailade[re]?|automutile[re]?|lacere[re]?)|mautomutile[re]?|(me|mes|mouvre) (suis |re ?)?(coupe[re]?|recoupe[re]?|brule[re]?|ouvert|grife[re]?|entaile[re]?) ~2(bras|veines|poignets?|cuises|jambes|peau|expres|volontairement|rasoir|lame|cuter|nouveau|encore)|me (coupe[re]?|brule[re]?) (pour|quand|des que|chaque|tous les|toutes les|encore)|arete (pas |plus )?de me couper|me (re)?faire (du )?mal|me fais (encore |souvent )?(du mal|saigner)|automutilation|scarifications?|me (fraper|coupe) la tete|arive pas a areter de me (faire (du )?mal|couper|scarifier)|(me|mes) suis ~1(ouvert|coupe|entaile|tailade|brule) (les|le|la|au) (bras|veines|poignets?|cuises|jambes|peau)|me coupe (en cachete|souvent|depuis|le soir|tous)',
    Y: '(jai ete|me suis fait|me suis faite|jai subi|me fais|je suis|subis|jetais) ~2(violer?|violee|agreser?|agresee|batue?|fraper?|frapee|tabaser?|menace de mort|menacee de mort|harceler?|harcelee|un viol|des coups|sequestree?|maltraitee?|violences|abusee?|atouchements)|(menace|dit|jure|veut|va|menacait) ~3(me|m) (tuer|fraper|buter|violer|planter)|peur quil me (frape|tue|tape|viole|bate)|femme batue|abuse de moi',
    J: 'de (rire|faim|honte|soif|chaud|froid|chaleur|enui|fatigue|someil|jalousie|trouile|curiosite|peur quand)|mdr|ptdr|lol|haha\\w*|xd|rire|blague|rigole|drole|cheveux|cuisinant|echecs|jeu|fifa|ongles|bosant|vieux|vieille|vieile',
    R: 'chanson|film|serie|livre|roman|personage|poeme|phrase|paroles|citation|chante|traduis|traduire|traduction|signifie|actualites|acteur|piece|chapitre|avant|autrefois|refrain|scene|titre|voulait|voulais|ils|vous|tu|quand jetais|amie?|copine|soeur|cousin|voisin|heros|ans|frere voulait|colegue|heroine|grand pere|narateur|persones|prevention|bovary',
    I: 'si|dit|disait|quand on',
    D: 'den finir|mourir|crever|me (tuer|suicider|pendre|foutre en lair|flinguer|buter|noyer|tirer une bale|suprimer|doner la mort)|suicider|me jeter (\\w+ ){1,2}(pont|train|fenetre|metro|toit|balcon|rails)|(ouvrir|tailer|couper) les veines|en finir( (avec (la vie|ma vie|tout|cete vie)|une bone fois|pour de bon))?(?! avec)|(metre )?fin (a )?(mes jours|ma vie|mon existence|tout ca|cete vie)|disparaitre(?! des)|etre morte?|ne jamais me reveiler|dormir ~1(pour toujours|et ne (jamais|plus))|areter de (vivre|exister)|quiter (ce monde|cete vie)|avaler ~1(mes|les) (medocs|medicaments|cachets)|sauter (\\w+ ){1,2}(pont|toit|balcon|fenetre|imeuble)|la mort|ne plus exister',
    T: '(idees?|pensees?|envies?|pulsions?) (noires?|suicidaires?|de suicide|de mort)|ideation suicidaire',
    S: 'suicide',
    O: 'sans moi|si j ?(etais|etais) (morte?|plus la)|si je (mourais|meurs|disparaisais|disparais|netais plus la)|si (je|j) ?(mourais|meurs|disparaisais|me tuais|nexistais)',
    W: 'veux|voudrais|jaimerais|aimerais|souhaite|vais|compte|songe|envisage|envie de|envie|envies|besoin de|prefere|preferais|prefererais|dois|decide de|pret|prete|reve de|pense a|voulu|esaye|tente|faut que|vouloir|hate de|marre',
    Z: '(pense|penser|songe|reflechis|pensee?|repense|songer|pensais)',
    V: 'vivre|exister|existe|me reveiler|etre la|etre en vie|en vie|de ce monde|etre ici|cete vie|continuer a vivre|la vie|vivant|vivante',
    G: 'raisons?|sens|gout|force|interet|valeur|vaut|merite|utilite|sert|envie|lenvie|courage',
    L: 'vie|vivre|existence',
    C: 'peux|suporte|arive',
    N: 'ne|n|pas|jamais|plus|aucune?|sans|rien|perdu|nai|nest|na|ni|persone',
    M: 'plus|encore',
    P: 'a|avec|chez|dans|ici|loin|tard|sans|ensemble|seul|seule|au|en|comme|des',
    U: 'foutre en lair',
    E: 'me|m|moi|ma|mont',
    B: 'mieux|heureux|soulages?|tranquiles?|soulagee?',
    Q: 'mon (mari|copain|mec|conjoint|pere|beau pere|frere|ex|oncle|patron|compagnon|fils|petit ami|grand pere|cousin|voisin|prof)|ma (feme|mere|copine|bele mere|seur|s ur)|mes parents|papa|maman|il|ele|mon beau pere',
    A: 'frape|frapent|frapait|bat|tape|tabase|viole|violee|violente|menace|menacee|etrangle|etranglee|gifle|giflee|cogne|cognee|maltraite|maltraitent|harcele|agrese|agresee|pousee|pouse|enferme|sequestre|frapee|batue|tapee|bate|coups|bousculee|roue de coups|touche|jete contre|jetee contre|tape desus|tapee|crache|tire par les cheveux',
    F: 'peur (de|que)',
  },
};

const italian: DangerWords = {
  rewrites:
    '\\bn+\\b → non; \\bk[e]?\\b → che; \\bvo(?:j|lj|l)i?o\\b → voglio; \\bx\\b → per; \\bs[iu]+c[ie]d → suicid',
  roles: {
    X: 'soluzione|via duscita|uscita|scelta|opzione',
    K: 'mi (amazo|uccido|ucido|suicido|impico|sparo|butto giu|buto giu|buto soto|tolgo la vita|taglio le vene)|la (faccio|facio|faro|sto facendo) finita|(letera|letere|biglieto) (di )?(d ?adio)|daddio|pensieri suicidi|(preso|ingoiato|mandato giu) ~2(tute|saco|tropp?e|scatola) ~3(pastiglie|pilole|medicine|comprese)|(sono|sento) ~1suicida|merito ~1(di morire|la morte)|non merito di vivere|come ~1(suicidarmi|ucidermi|amazarmi|morire senza)|(vorei|mai|magari|preferirei|meglio) ~3(mai nat[oa]|nat[oa]|mort[oa]|non svegliarmi)|non svegliarmi (piu|mai piu|domani)|(tentato|provato) ~1(il suicidio|ucidermi|amazarmi|suicidarmi)|meglio mort[oa]|prefer\\w+ essere mort[oa]|(stanc[oa]|stuf[oa]) di (vivere|questa vita)|perche (sono )?(ancora )?(viv[oa]|vivo ancora)|vedo lora di morire|odio (vivere|la mia vita)',
    H: 'mi ~2(taglio|tagliat[oa]|ferisco|brucio|bruciat[oa]|grafio|grafiat[oa]|incido) ~2(bracia|bracio|vene|gambe|cosce|polsi|pele|nuovo|ancora|aposta|per|quando|lameta|lama|ogni|avambracio)|mi taglio|(voglio|voglia di|bisogno di|smetere di|torno a|tornat[oa] a|ricominciat[oa] a|continuo a|impulso di|ripreso a|devo) ~1(tagliarmi|farmi male|farmi del male|ferirmi|bruciarmi|grafiarmi|farmi dei tagli)(?! i capeli)|mi (facio|fatt?[oa]) ~1(del male|male (da|aposta)|dei tagli)|autolesionismo|autolesion\\w*|farmi (del )?male|non riesco a smetere di (farmi|tagliarmi|ferirmi)',
    Y: '(sono stat[oa]|vengo|mi hanno|venivo|sto venendo) ~1(violentat[oa]|stuprat[oa]|pichiat[oa]|agredit[oa]|molestat[oa]|abusat[oa]|maltratat[oa]|perseguitat[oa]|minaciat[oa])|(sono|sto) vitima di (violenza|abusi|stalking)|subisco (violenz[ae]|abusi|maltratamenti|bote)|abus[ao]t?[oa]? di me|(minacia|minaciato|dice|deto|giura|vuole) ~3(ucidermi|amazarmi|pichiarmi|violentarmi|mi amaza|mi ucide)|paura che ~1mi (pichi|ucida|amazi|meni)|le mani adoso|le mani al colo|mi (ha|hano) ~1(pichiat|menat|violentat|stuprat|strangolat|pestat|molestat)[oa]|mi toca (di note|dove|le parti)|mani adoso',
    J: 'dal (ridere|sono|caldo|fredo|riso)|dale risate|di (fame|sono|noia|vergogna|sete|vechiaia|invidia|caldo|fredo|curiosita|risate|imbarazo)|dala (noia|vergogna|curiosita|fame)|aha\\w*|haha\\w*|lol|xd|scherzo|scherzavo|batuta|schachi|scachi|capeli|cucinando|videogioco|fifa|di (lavoro|studio)|vechio|vechia',
    R: 'canzone|film|serie|libro|romanzo|personagio|poesia|frase|testo|citazione|dise|diceva|canta|cantava|scrise|traduci|traduzione|significa|notizie|atore|gioco|opera|capitolo|ani|ritornelo|scena|titolo|proverbio|voleva|volevo|loro|amic[oa]|colega|quando ero|protagonista|nono|vicino|cugin[oa]|persone con|prevenzione',
    I: 'se|dice|deto',
    D: 'mori|morire|morirei|crepare|schiatare|amazarmi|ucidermi|suicidarmi|togliermi la vita|farla finita|finirla (qui|con tuto|per sempre)|farmi fuori|impicarmi|spararmi|(butarmi|getarmi|lanciarmi) ~2(giu|soto|ponte|treno|finestra|balcone|teto|binari)|tagliarmi le vene|sparire (per sempre|da questo mondo|del tuto)|sparire|scomparire|esere (gia )?mort[oa]|non (esistere|eserci|svegliarmi)|smetere di (vivere|esistere)|(pore|metere) fine (ala mia vita|a tuto|ale mie soferenze|ala mia esistenza)|adormentarmi (\\w+ ){1,2}svegliarmi( piu)?|(prendere|ingoiare) tute le (mie )?(pastiglie|pilole|medicine)|(lasciare|andarmene da) questo mondo',
    T: '(pensieri|idee|istinti|tendenze|ideazione) (suicid\\w*|di (suicidio|morte))',
    S: 'suicidio|(ala|la|mia) morte(?! d)',
    O: 'senza (di )?me|se (io )?(non ci fosi|muoio|mi amazo|mi amazasi|fosi mort[oa]|morisi|sparisi)',
    W: 'voglio|vorei|voglia di|desidero|sto per|deciso di|pensando di|pensato di|intendo|preferirei|preferisco|merito|bisogno di|devo|potrei|intenzione di|spero|sogno|pront[oa] a|dovrei|tentato|idea di|penso di|desiderio di|voglia|prego|anoiat[oa]',
    Z: '(penso|pensando|pensato|pensare|pensiero|osesionat[oa]|rifleto)',
    V: 'vivere|esistere|svegliarmi|eserci|stare al mondo|questo mondo|esere viv[oa]|andare avanti con (questa|la mia) vita|viv[oa]|questa vita',
    G: 'voglia|motivo|ragione|senso|vale|gioia|forza|scopo|valore|serve',
    L: 'vita|vivere|esistenza|di vivere',
    C: 'poso|riesco|facio|ce la',
    N: 'non|mai|nesun|nesuna|senza|perso|persa|nemeno|neanche|nesuno',
    M: 'piu|oltre|ancora',
    P: 'a|in|con|qui|sola|solo|lontano|senza|insieme|da|presto',
    U: 'ucidere|amazare|suicidare|impicare|sparare|butare|tagliare le vene',
    E: 'mi',
    B: 'meglio|felici|beati|solevati',
    Q: '(il )?mio (marito|padre|fratelo|figlio|zio|patrigno|nono|ex|capo|compagno|cugino|ragazo|fidanzato|convivente|vicino|prof)|(la )?mia (moglie|madre|sorela|matrigna|ragaza|suocera|compagna)|papa|mama|miei genitori|miei|lui|lei',
    A: 'pichia|pichiano|mena|menano|pesta|violenta|stupra|minacia|minaciano|strangola|schiafegia|maltrata|maltratano|perseguita|stalkera|molesta|pichiat[oa]|menat[oa]|pestat[oa]|violentat[oa]|stuprat[oa]|minaciat[oa]|agredit[oa]|strangolat[oa]|schiafegiat[oa]|calci|pugni|schiafi|bote|pugno|schiafo|spint[oa]|chius[oa] in casa|alza le mani|alzato le mani|molestat[oa]',
    F: 'paura (di|del)',
  },
};

const portuguese: DangerWords = {
  rewrites:
    '\\b(?:n|na[ou]m|nau|nn)\\b → nao; \\b[kq]u?er[ou]\\b → quero; \\b(?:to|tou)\\b → estou; \\bmore\\b → morer; \\bpra\\b → para; \\bm[ei] (?=mat|suicid|cort) → me ; \\bs[iu]+[sc]id → suicid',
  roles: {
    X: 'saida|solucao|opcao',
    K: '(eu )?me (mato|suicido|enforco|jogo da|dou um tiro)|mato me|suicido me|acabo com (a )?minha vida|cartas? de (despedida|suicidio|adeus)|bilhete de (despedida|suicidio)|(tomei|tomar|engoli) ~2(todos|todas|cartela|monte|muitos|caixa|varios) ~3(remedios|comprimidos|pilulas|calmantes)|(sou|estou|sinto) ~1suicida|mereco ~1(morrer|a morte)|nao mereco viver|como ~2(me matar|suicidar|morrer sem)|tomara que eu (morra|nao acorde)|(nunca|nao) ~1(ter|tivesse) nascido|melhor mort[oa]|queria ~1(estar mort[oa]|ter morrido)|estivese mort[oa]|(deus|que) (me leve|me levar)|tentei ~1(me matar|suicidio|suicidar|tirar minha vida|me enforcar)|prefer\\w+ (estar )?mort[oa]|nao acordar (mais|nunca|amanha)|(cansad[oa]|fart[oa]) de (viver|esta vida|desa vida)|porque? (eu )?ainda (estou viv[oa]|vivo)|odeio (viver|minha vida|estar viv[oa])',
    H: 'me ~1(corto|cortei|cortando|queimo|queimei|aranho|mutilo|machuco|machuquei|belisco) ~2(bracos?|pulsos?|pernas?|coxas?|pele|novo|proposito|para|porque|quando|gilete|lamina|estilete|sempre|toda|todo|noite)|(me corto|eu me corto|corto me|cortei me|mutilo me)(?! o cabelo)|(me|a) (cortando|mutilando|machucando|cortar me|magoar me)|(quero|preciso|vontade de|vou|voltei a|parar de|consigo parar de|impulso de|necessidade de|paro de) ~1(me (cortar|machucar|mutilar|ferir|queimar|bater)|cortar me|magoar me|fazer mal a mim)(?! (o cabelo|a franja))|automutil\\w*|autolesao|magoo me (de proposito|a mim)|nao (consigo|paro) ~1(de |parar de )*(me (cortar|machucar|mutilar)|cortar me)|(me|tenho me) cortado|queimo (a )?(minha )?pele|parar de me machucar',
    Y: '(fui|estou sendo|sou|estou a ser|tenho sido|era) ~1(estuprad[oa]|violad[oa]|espancad[oa]|agredid[oa]|abusad[oa]|ameacad[oa]|perseguid[oa]|vitima de (violencia|abuso|agresao)|asediad[oa]|violentad[oa]|maltratad[oa])|(sofro|sofri|vivo) ~1(violencia|abusos?|agresoes)|abus(aram?|ou|a) de mim|(ameaca|ameacou|dise|diz|jura|jurou|quer|vai) ~2(me (matar|bater|estuprar)|matar me|bater me)|medo (de )?que ~1me (mate|bata)|(me|nos) (estupraram|espancaram|violaram|bateram)|(apanho|apanhei) (do|da|de) (meu|minha|o meu)|me (bateu|espancou|estuprou|agrediu) (ontem|de novo|outra vez|hoje)|apanho em casa',
    J: 'de (rir|fome|sono|vergonha|amor|tedio|calor|frio|riso|saudades?|inveja|curiosidade|ansiedade|tanto rir)|k|rsrs|rs|haha\\w*|lol|xd|brincadeira|piada|brincando|xadrez|cabelo|cozinhando|cozinhar|jogo|fifa|velh[oa]|calor',
    R: 'musica|filme|serie|livro|romance|personagem|poema|frase|verso|letra|canta|cantava|escreveu|traduz|traduza|traducao|significa|noticias?|ator|peca|capitulo|citacao|anos|novela|refrao|cena|titulo|proverbio|amig[oa]|colega|prim[oa]|vizinh[oa]|quando era|protagonista|eles|voce|voces|avo|pesoas com|prevencao',
    I: 'se|diz|dise|dizia',
    D: 'morer|me (matar|suicidar|enforcar)|(matar|suicidar|enforcar) ?me|suicidar|tirar ~2(propria )?vida|(acabar|terminar) com ~1(minha vida|a vida|tudo|isto tudo|iso tudo|sofrimento)|(por|dar) (um )?fim (na|a|em) (minha vida|tudo|vida|mim)|estar mort[oa]|sumir(?! um)|desaparecer(?! das)|(deixar|parar) de (viver|existir)|nao (existir|acordar)|dormir ~1(e )?(nao acordar|nunca acordar|nunca mais acordar|para sempre)|(me (jogar|atirar)|pular|atirar me) (\\w+ ){1,3}(ponte|predio|janela|sacada|trem|comboio|carro|viaduto|linha)|cortar (os )?(meus )?pulsos|um tiro na cabeca|(ir embora|partir|sair) (deste|dese|desse) mundo|tomar (todos|veneno)( os)?( meus)?( remedios)?',
    T: '(pensamentos?|ideias?|impulsos?|ideacao|tendencias) (suicidas?|de (suicidio|morte))',
    S: 'suicidio|(a|na|minha) morte(?! d)|morte(?! d)',
    O: 'sem mim|se eu (moresse|morese|sumise|morer|desaparecese|nao existise|estivese mort[oa])',
    W: 'quero|queria|gostaria|desejo|preciso|vou|vo|pensando em|pensei em|planejo|planeio|pretendo|prefiro|preferia|vontade de|vontade|decidi|resolvi|mereco|tentei|tentando|ideia de|deveria|poso|prestes a|ponto de|apetece me|apetece|sonho|penso em|rezo|peco|espero|consigo pensar em',
    Z: '(penso|pensando|pensei|pensar|obcecad[oa]|pensado)',
    V: 'viver|vivendo|existir|acordar|viv[oa]|estar aqui|(nese|neste|deste) mundo|continuar viv[oa]|esta vida|com (a )?minha vida|esa vida|seguir vivendo',
    G: 'vontade|razao|motivos?|sentido|alegria|vale|forcas?|valor|serve',
    L: 'vida|viver|existencia|vivendo',
    C: 'aguento|consigo|suporto|poso',
    N: 'nao|nunca|jamais|nem|sem|nenhuma?|perdi|ninguem',
    M: 'mais|ja',
    P: 'em|com|aqui|sozinh[oa]|longe|perto|cedo|tarde|sem|na|no|juntos',
    U: 'matar|suicidar|enforcar',
    E: 'me',
    B: 'melhor|melhores|felizes|feliz|aliviad[oa]s?',
    Q: '(o )?meus? (marido|namorado|pais?|padrasto|irmao|ex|tio|chefe|patrao|filho|companheiro|avo|primo|parceiro|noivo|vizinho|profesor)|(a )?minha (mae|mulher|esposa|namorada|madrasta|irma|sogra|companheira)|ele|ela',
    A: 'bate|batem|bateu|espanca|espancou|agride|agridem|agrediu|estupra|estuprou|viola|violou|ameaca|ameacou|enforca|enforcou|estrangula|chuta|chutou|soca|maltrata|maltratam|tranca|trancou|persegue|obriga|forca|empura|empurou|socos?|tapas?|muros?|sura|esmura|bofetadas?|esfaqueou|tareia',
    F: 'medo (do|da|de|que)',
  },
};

const dutch: DangerWords = {
  rewrites:
    '\\b[ei]?k\\b → ik; \\bwilt\\b → wil; \\b(?:nie|ni|neit|nt)\\b → niet; \\b(?:mn|m n|mij n)\\b → mijn; \\bm(?:e|ijn|ij|n) ?(?:zelf|eigen)\\b → mezelf; \\b(?:dot|do+d|doo?t)\\b → dod; \\bzel[fv] ?mo+r[dt] → zelfmord; \\bnietmer\\b → niet mer',
  isVerbLast: true,
  roles: {
    X: 'uitweg|oplosing|uitwg',
    K: 'ik (pleg|verhang|dod|spring|steek) ~3(zelfmord|me|mezelf|trein|brug|dak|flat)|mak er ~2einde? an|afscheidsbrie(f|ven)|zelfmordbrief|(slikte?|geslikt|ingenomen) ~3pilen|(al mijn|ale|te vel|strip|doos|hele dos) ~1(pilen|medicijnen|slappilen|tableten) (geslikt|ingenomen|genomen)|(ik ben|vol me|ik word|^ben) ~1(suicidal|levensmo)|verdien (het )?(niet )?(om )?te (leven|sterven)|was ik ~1(dod|noit geboren)|(was|ben) ~2(liever|beter) (dod|noit geboren)|dat ik ~1(dod was|noit geboren|noit was geboren|niet mer wakker word|niet mer waker word|dodga|sterf)|noit (was )?geboren|zelfmordpoging gedan|hoe ~2zelfmord|leven (is )?~1(zinlos|wardelos|niks ward|niets ward)|klar met (het |dit |mijn )?leven|mo van het leven|warom (ik )?(nog )?(lef|besta)|het leven (echt |gewon )?niet (mer )?ziten',
    H: 'ik ~2(snijd?|kras|kerf|verwond|beschadig|brand|snijdt) ~2(mezelf|me|arm(en)?|polsen|be?nen?|huid|bovenbenen|weer)|(me|mezelf|in mijn (arm(en)?|be?nen?|polsen)) ~3(gesneden|verwond|opengesneden|gekrast|beschadigd|pijn gedan|snijden|te snijden|pijn te doen|pijn doen|verwonden|beschadigen|strafen|kraste?n)|automutile\\w*|zelfbeschadiging|automutilatie|zelfverwonding|doe (ik )?mezelf ~1(pijn|iets an|wat an)|mezelf (weer |expres )*pijn|niet stopen met ~1(snijden|mezelf)|ik sla mezelf|ik straf mezelf',
    Y: 'ik (word|werd|ben) ~4(geslagen|mishandeld|verkracht|misbruikt|bedreigd|gestalkt|angerand|afgeperst|opgesloten)|(dreigt|dreigde|gedreigd|zegt) ~3(me|mij) ~1(te )?(vermorden|doden|slan|dod ?maken|dod te maken|vermordt)|(me|mij) (wil |gat )?(vermorden|vermordt|dodslat|dodmakt)',
    J: 'van (het lachen|schamte|de honger|honger|verveling|de dorst|de hite|de kou|lachen|de slap)|haha\\w*|lol|xd|grapje|grap|geintje|schaken|fifa|koken|scheren|lachen|ogen|nervositeit|hite|oud',
    R: 'lied|liedje|film|serie|boek|bok|roman|personage|gedicht|tekst|quote|citat|zingt|schref|vertal|vertaling|betekent|nieuws|acteur|spel|game|hofdstuk|vroger|jaren|geleden|refrein|scene|titel|zong|riep|wilde|je|jij|vriendin|vriend|oma|opa|buurman|toen|hofdpersonage|zusje|mensen met|preventie|hulp vor',
    I: 'als|zegt|zei',
    D: 'er ~1einde? an (te )?maken|dod( ?(zijn|gan|blijven|nervalen))?|sterven|zelfmord (te )?plegen|suicide (te )?plegen|van kant (te )?maken|(een |er ~1een )?einde? (te )?(maken )?(an (mijn leven|ales)|er ?an|eran)( (te )?maken)?|mijn leven (te )?beindigen|(uit het leven|eruit) (te )?stapen|er ~1niet mer (te )?zijn|noit mer waker (te )?worden|vor (\\w+ )(trein|auto|metro) (te )?(springen|stapen|lopen|goien)|van (\\w+ ){1,2}(brug|flat|dak|balkon) (af )?(te )?springen|mijn polsen ~2snijden|al mijn (pilen|medicijnen) ~1(inemen|slikken|sliken)|overdosis (te )?nemen|(vor altijd|vorgoed) (slapen|verdwijnen|weg zijn)|inslapen en (niet|noit) mer waker (te )?worden|verdwijnen',
    T: 'zelfmordgedachten?s?|suicidale gedachten|suicidegedachten|dodswens|dodsgedachten|zelfmordneigingen|gedachten an zelfmord',
    S: 'zelfmord|zelfdoding|suicide|euthanasie plegen',
    O: 'zonder (mij|me)|als ik (er niet (mer )?|dod |weg )(ben|was|zou zijn)?|als ik er niet',
    W: 'wil|wou|zou|wens|ga|moet|mot|hoop|hop|overweg|probeer|verlang|besloten|zin|plan|verdien|punt|fantaser|drom|liever|klar|drang|neiging|zal|geprobeerd|gaan|kan beter|behofte|verlangen',
    Z: '(denk|denken|dacht|nagedacht|gedachten?|nadenk)',
    V: 'leven|verder leven|bestan|waker worden|verder|hier zijn|er zijn|op deze wereld|verder met (mijn|dit) leven|levend',
    G: 'reden|zin|doel|nut|wil|kracht|hop|hoop|warde|moite',
    L: 'leven|te leven|bestan',
    C: 'kan|trek|hou',
    N: 'niet|noit|gen|geen|zonder|niks|niemand',
    M: 'mer|langer|verder',
    P: 'in|met|bij|hier|op|zonder|allen|alen|samen|dan|zo',
    U: 'doden|verhangen|ophangen|vermorden|dodschieten|verdrinken|kapot maken|te verhangen|te doden|van kant maken',
    E: 'me|mezelf|mij',
    B: 'beter|gelukkiger|gelukiger|blijer|oplucht|opgelucht',
    Q: 'mijn (man|vriend|ex|vader|pa|stiefvader|broer|brer|om|oom|opa|bas|baas|zon|partner|vrouw|vriendin|moder|ma|stiefmoder|zus|burman|ouders|lerar)|hij|zij|ze|papa|mama',
    A: 'slat|slan|schopt|schopen|mishandelt|mishandelen|verkracht|misbruikt|bedreigt|wurgt|stompt|duwt|stalkt|chanteert|chantert|geslagen|mishandeld|bedreigd|gewurgd|geschopt|gestompt|geduwd|angerand|opgesloten|trapt|mept|sloeg|slog|schopte|betast|gekepen|in elkar geslagen|bij mijn kel',
    F: 'bang vor',
  },
};

const hindi: DangerWords = {
  rewrites:
    '(?:ch)+h? → ch; s[uy]s?aid → suicide; kabhi kabhi → kbhi; w → v; z → j; ph → f; \\b(?:nahin|nhi|nai|nahi|nah|nhin|ni)\\b → nahi; \\bmuj(?:he|e|ko|hko)?\\b → mujhe; \\b(?:mein|me|main|mai|mei|mene|maine)\\b → mai; \\b(?:hu|hun|hoon|hon|hoo)\\b → hu; \\bj[ei]+n[ae]\\b → jina; \\bch?ah?ta\\b|\\bchaht[iae]\\b|\\bchat[iae]\\b|\\bchaahta\\b → chahta; \\b(?:jindgi|jindagi|jindagee|jindegi|life)\\b → jindagi; \\bkhat[aou]?m\\b → khatam; \\bmar ?n[ae]\\b|\\bmrn[ae]\\b → marna; \\bh\\b|\\bhe\\b → hai; \\bkhud ?khushi\\b|\\bkhudk?h?us[ih]+i?\\b → khudkushi; \\ba+tma?ha+t[iy]+a\\b → atmahatya; \\b(?:su[iy]+[sc]ide?|suside)\\b → suicide',
  isVerbLast: true,
  roles: {
    X: 'rasta|upay|raasta',
    K: '(mai )?mar (ja[ou]?[un]*|jana) (chahta|hai|to|acha|behtar|beter|hi)|mar jaunga?i?|(jan|jaan) (de|le) (du|dun|dunga|dungi|lu|lun|dena|lena|lunga|lungi|doon)( \\w+)?|(suicide|khudkushi|atmahatya) (kar|krn?a?|karne|karna|kr|ke|karu|karun|karunga|karungi)( (lu|lun|lunga|lungi|luga|lugi|ka|ke|khayal|man|chahta|raha|rahi))*|(fansi|jahar|jeher|jahr|goliyan) ~1(laga|kha|latak)( \\w+)?|khud ko ~1(khatam|mar) (\\w+)|apne ap ko ~1(khatam|mar) (\\w+)|jindagi ~1khatam (kar|karna|karne|kr|krna|krne|karu|karun|ho)( \\w+)?|ka[as]+h? ~2(mar jata|mar jati|mar jau|paida|mar gaya)( \\w+)*|maut (a|aa|de|mil|chahiye|hi)( \\w+)?|marna hi (\\w+)|(chhat|chat|bridge|pul|train) ~2(kud|kood)( \\w+)?|jina ka ~1(man|mann|dil) nahi|jina (ka|ki) ~1(man|dil|icha|matlab|fayda|vajah|koi vajah|koi matlab) nahi|jindagi se ~1(thak|tang|haar)( \\w+)?|sab mere bina ~2(khush|behtar|theek|thik)|mere bina ~2(khush|behtar|thik|theek)|mar jau(n)? kya',
    H: '(khud ko|apne ap ko|apne hath|apna hath|apni kalai|hath ki nas|nas|hath pe|blade se|hath) ~2(kat|kata|kati|katna|katne|katta|kati|kat liya|chot|nuksan|jala|jalaya|hurt|cut|marta|blade)( \\w+)?|khud ko ~1(taklif|hurt|chot|saja)( \\w+)?',
    Y: 'mera (rape|balatkar|yon|shoshan)( \\w+)?|mere sath ~2(rape|balatkar|dushkarm|jabardasti|marpit|marpet|galat kam|ched)( \\w+)?|mujhe (jan se|jaan se) mar\\w*( \\w+)?|jan se marne ki dhamki|mujhe mar dalega|(galat|gande) tari?ke? se chu\\w*|mera gala (\\w+)|mujhe (galat|gande) ~2chu\\w*',
    J: 'hasi|has has|haste|hans|hasne|hahaha\\w*|haha|lol|xd|bhuk|bhukh|garmi|sharam|khushi se|majak|boring|bor|padhai se|pe mar|thand|thandi|pyar|tere|ishk|sardi|machar',
    R: 'gana|gane|film|movie|serial|kahani|kitab|hero|heroine|dialogue|line|bola|boli|kaha|kehta|kehti|likha|translate|matlab kya|khabar|news|pehle|sal|dost|usne|uska|uski|usko|behen|padosi|unhone|kisi|log|sharukh|us|kabhi|friend|saheli|ladki|novel|kisan|log',
    I: 'agar|jab',
    D: 'marna|mar jana|mar jau|mar jaun|suicide karna|suicide|khudkushi|atmahatya|jan dena|maut',
    T: 'suicidal thoughts (at[aei]|a rah[ei])|suicide ke (khayal|thoughts|vichar)|marne ke (khayal|vichar)|marna ke khayal|marna ke khyal|suicide ke khyal',
    S: 'suicide|khudkushi|atmahatya',
    W: 'chahta|chahiye|hai|man|mann|dil|soch|sochta|sochti|socha|vali|vala|lagta|karunga|karungi|jaunga|jaungi|lunga|lungi|raha|rahi|ka man|chahie',
    V: 'jina|jena|jinda|jinda rehna|jite',
    N: 'nahi|na|mat',
    M: 'ab|aur|or',
    G: 'matlab|vajah|fayda|icha|man|mann|umid',
    L: 'jina|jindagi|jine',
    P: 'bina|sath',
    E: 'mujhe|khud',
    Q: '(mera|mere|meri) (pati|papa|pita|pitaji|bap|bhai|boyfriend|bf|husband|sasur|chacha|ma|maa|mummy|sas|mama|bos|teacher|ex|sautele|uncle|dada|parents|ghar|ghar vale|sasural vale|biwi|wife|patni)|papa|mumy|vo|pati|sas|sasural vale|husband|ghar vale',
    A: 'marta|marte|marti|p[ei]+t[aei]|mara|dhamki|dhamkata|gala dabaya|gala dabata|belt|thapad|thappad|tang karta|chhuta|chuta|mar pit|band kar',
    F: 'dar',
  },
};

const chinese: DangerWords = {
  hasObject: true,
  roles: {
    X: '出路|解决办法',
    K: '活不下去|不想再?活|不想活|活着(好|太|真|很)?(累|没(有)?(什么)?(意思|意义)|干嘛|痛苦)|(没|无)(有)?活下去的(勇气|理由|意义|动力|欲望|念头)|死了(算了|就好了|就解脱|该多好|多好|最好|一了百了)|一死了之|一了百了|生不如死|不如(去)?死|活够了|(写好?了?|写完)遗书|遗书(写|已)|(想|要|去)轻生|轻生的(念头|想法)|自杀(的)?(念头|想法|倾向|冲动|计划)|(结束|了结|终结)(了)?(我|自己|我自己)?的?(生命|一生|性命|一切|这一切)|离开(这个)?(世界|人世|人间)|(再也|永远)(不要|不会|不想)?(醒来|醒过来)|不想醒(来|过来)|不要再?醒|消失在(这个)?世界|从(这个)?世界上?消失|没我(会|就)?(更|过得更)?好|没有我(大家|他们|你们)?(会|都会|就)?(更|过得更)好|(怎么|如何)(样)?(才能)?(自杀|死得?(不痛苦|没有痛苦|轻松|快))|吃了?(一整瓶|一瓶|很多|大量|一大把|整瓶)(安眠药|药)|我(就)?(不配|没资格)活|要是(我)?(没(有)?出生|死了)|死了才能?|才能解脱|买(好)?了?(很多)?安眠药|为什么(我)?(还|要)活着|从.{0,5}(楼|桥|天台|阳台|窗).{0,4}跳|跳下去|唯一的?(出路|办法).{0,3}死|死.{0,5}唯一|撑不下去',
    H: '自残|自伤|割腕|(划|割|砍)(了|伤|破)?(我)?(自己|手臂|手腕|胳膊|大腿|手)(的)?|(用|拿)(刀|刀片|美工刀|小刀)(片)?(划|割)|伤害(我)?自己|(掐|烫|打|咬)(我)?自己|弄伤自己|弄疼自己|自己(划|割)的?',
    Y: '我?被(我|他|她|老公|丈夫|爸|妈|男友|男朋友|继父|同学|前男友|人|老师|父亲|母亲|父母|家里人|爸妈|前任)*(们)?(又|天天|经常|一直|给)?(家暴|强奸|强暴|性侵|虐待|猥亵|侵犯|毒打|暴打|打了?|殴打|霸凌|跟踪|性骚扰|威胁|囚禁|关起来)|(威胁|说)(着)?(要)?(杀了?我|弄死我|打死我)|要杀了?我|(怕|害怕)(他|她|老公|我爸|爸爸|我妈)(会|再)?(打|杀)(死)?我',
    J: '笑死|哈哈+|累死|饿死|困死|热死|冷死|气死|开玩笑|段子|想死(你|我了|他|她|这|那|妈|家)|羞死|尴尬|死党|死机|玩笑|游戏里|hh+|2333*|嘻嘻|[累饿困热冷气忙烦聊多吓丑贵渴疼](得|的)?要?死',
    R: '电影|小说|歌词|歌里|这首歌|主角|男主|女主|剧里|电视剧|新闻|朋友|同学(?!(们)?(都|总|经常|打|欺负))|同事|有人|别人|书里|翻译|怎么说|意思是|说过|从前|以前|小时候|当年|那时|曾经|历史|诗|作家|如果你|邻居|怎么能|角色|台词|爷爷|奶奶|网友|明星|谁|表哥|表姐|表弟|妹妹|姐姐|弟弟|《|屈原|项羽|海子|怕死|怎么翻译|英语',
    D: '去死|死掉|死去|死(?![党机板心活亡心])|自杀|上吊|跳(楼|河|桥|轨)|烧炭|割脉|吞药|安乐死|轻生|解脱|消失|结束生命|死掉|自尽|自我了断',
    S: '自杀|自尽',
    W: '忍不住|控制不住|想要|想|要|打算|准备|决定|好想|只想|宁愿|希望|计划|考虑|真想|试过|尝试|巴不得|恨不得|干脆|马上|今晚就|盼着|渴望',
    V: '活|活着|活下去|活了',
    N: '不|没|别|没有|并非|不会|不能|从没|从来没|不是|不要|不敢|怕|不许|放弃|未',
    I: '(如果|要是|假如)(?!我(死|不在|消失|走))',
    Q: '(我)?(爸爸?|妈妈?|父亲|母亲|老公|丈夫|男友|男朋友|老婆|继父|后爸|前男友|前任|哥哥?|老师|同学们?|父母|爸妈|婆婆|老板|室友|女朋友|女友|叔叔|舅舅)|他们?|她们?',
    A: '打我(?!电话|手机|的)|揍我|踢我|掐我|扇我|骂我打我|强奸|性侵|家暴|虐待我|威胁我|跟踪我|欺负我|摸我|强迫我|非礼|拿刀|暴打我|殴打我|抽我|打骂我|打得我|逼我(跟|和|上床|发生)|掐住?我?的?脖子|把我(关|锁|打|推)|动手打',
  },
};

const arabic: DangerWords = {
  rewrites: '(?<![^ ])و(?!الد|احد|داع)(?=[ابيعمنتح]\\S\\S) → ',
  hasObject: true,
  roles: {
    X: 'الحل|المخرج|الخلاص',
    K: 'سانتحر|سوف انتحر|(راح|رح|ح|ه|ب)انتحر|(هنتحر|حنتحر|بنتحر|هقتل نفسي|ساقتل نفسي|حقتل نفسي|سانهي حياتي|هموت نفسي|حموت نفسي)|(يا )?ليتني (مت|ميت|ميته|لم اولد|ما انولدت|اموت)|ياليتني (مت|ميت|اموت)|افكار (انتحاريه|الانتحار)|(كتبت|اكتب) (رساله|رسالتي) (انتحار|الانتحار|وداع|الوداع|الاخيره)|(حاولت|احاول) (الانتحار|انتحر|اقتل نفسي|ان انتحر)|(ابتلعت|بلعت|اخذت|شربت) (كل|علبه|شريط|كميه) ~1(الحبوب|الدواء|حبوب|ادويتي|الادويه|دواء)|(استحق|بستاهل|استاهل) (ان )?(الموت|اموت)|لا استحق (ان )?(اعيش|الحياه|العيش)|(حياتي|الحياه) ~1(بلا|ليس لها|ما لها|مالها|ملهاش|بدون|فقدت) ~1(معني|معناها|فائده|قيمه|هدف|لازمه)|(كيف|ازاي) ~1(انتحر|اقتل نفسي|اموت بدون)|(ستكون|سيكون|هيكونوا|بيكونوا|سيكونون|احسن|افضل) ~3(بدوني|من غيري|من دوني)|الموت (ارحم|اهون|افضل|احسن|راحه)( \\S+)?|يارب (خذني|اموت|موتني|خدني)|(رب|الله|ربنا|يارب) ~1(ياخذني|ياخدني|خذني|خدني|يريحني من)|مش طايق (حياتي|اعيش)|انتحار|الانتحار هو (الحل|الخيار)',
    H: '(اجرح|بجرح|جرحت|بعور|اوذي|باذي|اذيت|اؤذي|ااذي|اقطع|بقطع|قطعت|اشطب|بشطب|شطبت|احرق|بحرق|اضرب|بضرب|اعذب|ايذاء|جرح|ااذيت|هاذي|اجرّح) (في )?(نفسي|يدي|ايدي|ذراعي|جلدي|شراييني|معصمي|دراعي|جسمي|فخذي|النفس|رجلي)',
    Y: '(ابي|ابوي) ~1(يضربني|ضربني|يهددني|بيضربني)|(تعرضت|اتعرضت|بتعرض|اتعرض) ~1(للاغتصاب|للضرب|للتحرش|لاعتداء|للعنف|لاغتصاب|لتحرش|لعنف|لضرب|للاعتداء|للتعنيف)|اغتصبني|اغتصبوني|(يهددني|هددني|بيهددني) (ب|ان )(\\S+)|(سيقتلني|يريد قتلي|عايز يقتلني|بده يقتلني|هيقتلني|راح يقتلني|يبي يذبحني|هيموتني من الضرب)|(تم|تمت) (اغتصابي|الاعتداء علي)|(يعتدي|اعتدي) علي|(يتحرش|تحرش|بيتحرش) (بي|بيا|فيني|فيي)',
    J: 'من (الضحك|كتر الضحك|كثر الضحك|الجوع|الملل|الحر|البرد|الفرح|السعاده|الشوق|الخجل|الاحراج|الغيره)|هه+\\S*|لول|نكته|امزح|بهزر|في حبك|فيك|عليك|حبا|شوقا|شطرنج|لعبه|ضحك|اطبخ|الطبخ|المطبخ',
    R: 'فيلم|الفيلم|اغنيه|الاغنيه|مسلسل|المسلسل|روايه|الروايه|كتاب|قصه|بطل|البطل|قصيده|الشاعر|شاعر|ترجم|ترجمه|معني|الاخبار|خبر|ممثل|صديقي|صديقتي|صاحبي|صاحبتي|جاري|كنت|كان|كانت|سمعت|قرات|حلقه|زميلي|قبل|هل|احدهم|شخص|اقول|بالانجليزيه|بالفرنسيه|نقول',
    D: '(ان )?(اموت|الموت|انتحر|الانتحار|انهي حياتي|انهاء حياتي|اقتل نفسي|قتل نفسي|اختفي|اذبح نفسي|اشنق نفسي|اخلص من حياتي|اخلص من نفسي|انام ولا اصحي|انام وما اصحي|انام ومصحاش|اغادر هذه الحياه|ارمي نفسي|ارحل عن هذه الدنيا|التخلص من حياتي|وضع حد لحياتي|اضع حدا لحياتي|لا استيقظ)',
    I: 'لو|اذا|قال|قالت|يقول|تقول',
    S: 'الانتحار|انتحار|بالانتحار',
    W: 'اريد|ابغي|ابغا|ابي|عايز|عايزه|عاوز|عاوزه|بدي|نفسي|اتمني|بتمني|اود|ودي|ارغب|ارغب في|افكر|افكر في|بفكر|بفكر في|ناوي|ناويه|سوف|راح|رح|قررت|حابب|حابه|محتاج|محتاجه|انوي|اخطط|افضل|خلاص|بحاول|فكرت',
    Z: '(افكر|بفكر|التفكير|فكرت|عم فكر|بافكر)',
    V: 'اعيش|العيش|الحياه|استيقظ|اصحي|اكمل حياتي|اكمل|عايش|عايشه|حيا|البقاء|اكون موجود|هالحياه|الدنيا',
    N: 'لا|ما|مش|مو|لن|لم|مب|ماني|موش|ماعاد|ماعدت|مبقتش|مابقيتش|ليس|لست|عدت|ماعندي|بدون|مالي|مابدي|مابي|ماابي|مش عايز',
    G: 'رغبه|معني|سبب|داعي|امل|فائده|هدف|جدوي|نفس|خلق|سببا|دافع|دافعا|هدفا',
    L: 'الحياه|حياتي|للحياه|بالحياه|اعيش|للعيش|العيش|اعيش لاجله',
    P: 'في|مع|هنا|وحدي|بعيدا|بعيد|لوحدي|معه|معها|بدونك|بلاك|عند',
    Q: '(زوجي|ابي|ابوي|ابويا|والدي|امي|اخي|اخوي|اخويا|خطيبي|حبيبي|بابا|جوزي|طليقي|عمي|خالي|مديري|ابني|صديقي السابق|زوج امي|ماما|اهلي|حماتي|اخواني|هو|جوز امي|ابن عمي|زوجتي)',
    A: 'يضربني|بيضربني|ضربني|بضربني|يضربوني|بيضربوني|تضربني|بتضربني|يغتصبني|يهددني|يعنفني|يعذبني|خنقني|يخنقني|بيخنقني|يحبسني|حابسني|بيهددني|هددني|يسيء|يعتدي|بيعذبني|يلمسني|بيلمسني|كسر|يهينني ويضربني|ويضربني|يحبسني|حابسني|بضرب في',
  },
};

/** The languages in which a danger is recognized. Hindi in its own alphabet is written in Latin letters before. */
export const dangerWords = {
  ...{ de: german, es: spanish, fr: french, it: italian, pt: portuguese, nl: dutch, hi: hindi },
  ...{ zh: chinese, ar: arabic },
} as const satisfies Readonly<Record<string, DangerWords>>;
