/**
 * Classes of words with a similar meaning for topic detection. A trailing * matches any ending. The area model learns
 * from classes as well as from words, so that words absent from the training data also count. Chosen by judgment from
 * general knowledge. Training determines the weights, not the words.
 */
export const wordClasses = {
  parent:
    'mom mum mommy mummy mama momma mother mothers mothers moms mums dad dads daddy father fathers papa pa parent* stepdad stepmom stepmother stepfather folks',
  child:
    'son sons daughter* kid kids child children childs toddler* baby babies infant* teen teens teenager* stepson* stepdaughter* newborn grandkid* grandchild* grandson* granddaughter*',
  sibling: 'brother* sister* sibling* sis twin twins stepbrother* stepsister*',
  elder:
    'grandma* grandpa* grandmother* grandfather* grandparent* granny nana nan aunt* auntie* uncle* cousin* nephew* niece* inlaw* mil fil godmother godfather',
  spouse: 'husband* hubby wife wifes wives spouse* married marriage* marital',
  family: 'family families familys familial relatives household',
  partner: 'boyfriend* girlfriend* bf gf partner* ex exes exboyfriend exgirlfriend fiance* lover* crush soulmate bae',
  romance:
    'date dates dating dated romance romantic* relationship* kiss* flirt* love loves loved lovers single tinder intimacy intimate sex sexual valentine* proposal engaged engagement',
  betrayal: 'cheat* affair affairs unfaithful infidelity betray* lied lies lying liar jealous* trust trusted trusting',
  breakup: 'breakup* breakups brokeup dump dumped dumping split heartbreak heartbroken',
  divorce: 'divorc* custody separated separation alimony annulment',
  friend: 'friend friends friendship* friendly bestfriend* buddy buddies bff* bestie* pal pals mates',
  cohabitant: 'roommate* roomate* roomie* flatmate* housemate* neighbor* neighbour* landlord* landlady tenant*',
  social:
    'party parties hang hanging hangout hangouts socialize socializing social socially popular clique* gossip* rumor* rumour* drama invite* invited acquaintance* conversation* argue argument* arguing argued awkward shy introvert* text texted texting ignored ignoring ignores ditch* flake* outcast judged judging bully* bullied bullies bullying rude mean people person guy guys girl girls she he',
  lonely:
    'lonely loneliness alone lonesome isolated isolation isolating abandoned unwanted unloved homesick companionship',
  job: 'job jobs work works worked working workplace office career careers employ* employment profession* occupation workday workweek worker* cubicle',
  boss: 'boss bosses manager* managers management supervisor* supervis* ceo foreman director lead hr',
  coworker: 'coworker* cowork* colleague* staff teammate* team employee* subordinate* intern interns',
  jobtask:
    'deadline* project projects meeting* client clients customer* shift shifts overtime workload* report reports presentation* promotion* promoted conference* sales quota* invoice* email emails training contract contracts gig gigs',
  jobloss:
    'fired layoff* layoffs laid unemploy* jobless furlough* redundan* downsiz* downsizing terminated sacked severance quit quitting resign*',
  jobsearch:
    'interview interviews interviewing interviewed resume resumes cv hire hired hiring applying applied apply application* recruiter* opening openings position positions linkedin indeed internship* internships',
  business:
    'business businesses startup* entrepreneur* freelanc* restaurant* store company companies corporate selfemployed clientele',
  joblabel:
    'nurse* teacher* teaching barista server waitress* waiter cashier retail warehouse engineer* driver lawyer* accountant* cleaner factory starbucks walmart mcdonalds amazon',
  school:
    'school schools schoolwork highschool college colleges collage university universities uni campus academic* academy semester* freshman sophomore junior senior student students dorm dorms education educational kindergarten grad graduate graduat* undergrad phd masters ged syllabus school* scholarship*',
  lesson:
    'class classes course courses lecture* lectures professor* prof profs teacher teachers tutor* lesson lessons seminar* labs module credits campus classroom* classmate* major majoring minor',
  exam: 'exam exams examination* midterm* midterms finals quiz quizz* quizzes test tests testing sat sats act gre gmat lsat mcat gcse gcses alevel* ap bar regents ielts toefl exam*',
  study:
    'study studying studies studied homework hw essay* essays paper papers assignment* thesis dissertation* coursework textbook* cram* notes project revision revise revising reading research',
  subject:
    'math maths algebra geometry calculus calc chemistry chem physics biology bio history english spanish french latin geography econ economics stats statistics psych psychology physiology anatomy science literature programming',
  grade: 'grade grades gpa fail* failed failing flunk* pass passing marks transcript* cgpa tuition',
  money:
    'money cash financ* financial* financially finances dollar dollars bucks budget* budgeting fund funds funding economic* economy coins monetary',
  income:
    'income* salary salaries paycheck* paychecks wage wages pay pays payday earn earning earnings raise raises stimulus benefit* pension* child-support commission',
  spend:
    'afford* affordable cost costs costly expens* price prices pricey pricy spend spending spent buy buying purchase* bought cheap poor poverty cent cents',
  bill: 'bill bills rent rents rental tax taxes irs utilit* utilities insurance fee fees payment* payments paying electricity gas fines invoice mortgage* mortgages',
  debt: 'debt* debts loan loans owe owed owes owing credit mortgage* collections bankrupt* bankruptcy overdraft lender* foreclosure evict* eviction repossess* payoff',
  saving:
    'saving savings save invest* stock stocks 0k retirement retire retiring retired bank banks account crypto market',
  pain: 'pain pains painful hurt hurts hurting ache aches aching achy ache* headache* headaches migraine* migraines sore soreness cramp cramps cramping injur* injury sprain* swollen stiff bruise* bleeding burn burns throb* fracture* concussion arthritis',
  body: 'body bodies head stomach tummy belly back neck knee knees leg legs foot feet ankle ankles arm arms hand hands finger* shoulder shoulders throat chest tooth teeth hip hips wrist* skin eye eyes ear ears muscle muscles lung lungs heart hearts spine joints jaw nose nerve kidney* liver bladder blood brain',
  illness:
    'sick sickness ill illness* illnesses flu cold cough* coughing fever* vomit* puke puked puking nausea* nauseous nauseated throwing throw virus viral infect* infection* disease* diseases cancer* tumor* diabet* diabetes diabetic asthma* allerg* allergies pneumonia bronchitis sinus* germs contagious symptom* symptoms stroke dizzy dizziness anemia thyroid ulcer* uti seizure* chronic unhealthy cholesterol hypertension bloated diarrhea constipat* rash std',
  pandemic:
    'covid* covid corona coronavirus* pandemic* quarantin* lockdown* virus outbreak* epidemic vaccine* vaccin* mask masks sanitizer infected distancing',
  medical:
    'doctor* doctors dr drs hospital* hospitals hospitalized surgery surgeries surgeon* nurse* medic* medical medicine* medication* medicines meds pill pills prescription* dentist* dental clinic* checkup* diagnos* diagnosis biopsy mri xray scan scans ultrasound treatment* health healthy healthcare healthwise er emergency recovery chemo transplant',
  tired:
    'tired tiring exhaust* exhausted exhausting fatigue* fatigued drained sleepy weary lethargic sluggish worn energy tiredness',
  sleep:
    'sleep sleeping sleeps slept asleep insomnia* nap naps napping awake nightmare* nightmares bedtime bed wake waking woke woken restless',
  weight:
    'weight diet dieting diets fat overweight obes* obese calories gym exercise* exercising workout* pounds lbs skinny fitness anorex* bulimi* binge binging cardio jogging shape eat eating ate appetite hungry starving starved food',
  substance:
    'drink drinking drinks drunk alcohol* alcoholic* drug drugs weed smok* smoking smoke cigarett* cigarette* nicotine vape vaping sober sobriety addict* addiction* addicted rehab hangover hungover beer vodka wine cocaine heroin relapse* withdrawal*',
  pregnancy: 'pregnan* pregnant miscarr* period periods labor birth contraception fertility ivf menopause pms',
  sad: 'sad sadness sadder saddened depress* depressed depressing depression miserable misery unhappy unhappiness hopeless* hopelessness gloomy blue empty emptiness numb despair cry crying cried cries tears sob sobbing melancholy suicid* hurting devastated disappointed disappoint* upset upsetting',
  anxious:
    'anxious anxiety anxieties anxious* worry worried worries worrying worrisome nervous* nervousness panic panicking panicky scared scary scaring afraid fear fears fearful frightened terrified terrifying paranoid paranoia dread dreading uneasy apprehensive tense',
  stress:
    'stress* stressed stressful stressing stressor* overwhelm* overwhelmed pressure* pressured burden* burnout burned burnt struggling struggle struggles coping cope',
  anger:
    'anger angry mad furious rage pissed pissing annoy* annoyed annoying irritat* irritated frustrat* frustrated frustrating hate hates hated resent* bitter outraged yell yelled yelling',
  self: 'worthless inadequate insecure insecurit* insecurity confidence confident failure failures loser ugly stupid selfesteem esteem guilt* guilty asham* ashamed shame embarrass* embarrassed useless inferior hateful regret* unattractive myself',
  emotion:
    'emotion* emotional emotionally emotions feel feeling feelings mood moods moody mental mentally therapist* therapy counsel* psychiatrist trauma* traumatic ptsd bipolar ocd adhd meltdown breakdown break-down crazy insane confused confusing confusion lost turmoil heart soul',
  death:
    'died death deaths dead dying die dies dies passed funeral* grief griev* mourn* mourning loss deceased cremat* burial widow* killed suicide',
  pet: 'dog dogs cat cats kitten* kittens puppy puppies pet pets vet hamster fish horse',
  decide:
    'decid* deciding decision* decisions choose choosing choice* choices option options undecided unsure dilemma indecisive figure figuring whether',
  chores:
    'clean cleaning cleaned laundry dishes dish chore chores kitchen cook cooking cooked dinner breakfast lunch meal meals grocer* groceries wash washing vacuum* mop trash garbage errand* errands housework messy mess organize organizing organized declutter yard lawn garden shopping repair repairs fix fixing',
  home: 'house houses home homes apartment* apartments flat condo room lease realtor roof furnace plumb* plumbing appliance* fridge refrigerator basement bathroom housing furniture',
  moving: 'move moving moved relocat* relocating packing pack unpack* unpacking',
  travel: 'trip trips vacation* travel* traveling flight flights airport fly flying hotel passport abroad tour visa',
  transport:
    'car cars truck vehicle traffic drive drives driving drove bus train commute* commuting parking highway accident* tire tires engine license crash mechanic',
  routine:
    'busy schedule* schedules scheduling hectic time daily everyday routine* day days week plate juggl* balance balancing multitask* rush rushing hurry hurried late appointment* appointments organised plan plans planning planned procrastinat* prioriti* todo list morning tomorrow',
  event: 'wedding* weddings birthday* christmas xmas holiday holidays thanksgiving anniversary prom reunion easter',
  tech: 'phone phones computer* computers laptop internet wifi online printer app website password video game games gaming tv',
  news: 'news president trump election* politic* politics government* governor congress war wars iran country world society climate hurricane* wildfire* storm* weather protest* racism shooting crime* republican* democrat*',
  faith: 'church god pray prayer praying faith religion religious pastor bible',
  life: 'life lives living future goal goals purpose direction dream dreams meaning change changes uncertain* uncertainty unknown',
  greeting:
    'hi hello hey hiya greetings morning bye goodbye goodnight thanks thank thankyou thx welcome ok okay yes yeah yep no nope sure cool alright fine lol haha sorry please',
  positive:
    'happy glad excited exciting great good fun nice wonderful amazing awesome enjoy* relax relaxing relaxed calm joy grateful thankful proud better perfect best fantastic',
  negation:
    'not no never none nothing dont didnt cant cannot couldnt wont isnt arent wasnt werent doesnt hasnt havent without nobody neither aint wouldnt shouldnt',
  denial: 'not no nothing dont didnt isnt arent wasnt werent doesnt hasnt havent aint',
  i: 'i im ive id ill me my mine myself',
  you: 'you your yours youre u ur',
  he: 'he him his hes himself',
  she: 'she her hers shes herself',
  they: 'they them their theyre themselves',
  we: 'we us our ours were',
  question: 'how what why when where who which whats',
  can: 'can could would should will might may gonna',
  need: 'need needs needed want wants wanted have has had having must gotta hafta trying try',
} as const satisfies Record<string, string>;

export type WordClass = keyof typeof wordClasses;
