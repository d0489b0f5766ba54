/*
 * Words of sports in the languages of the apps that name them: Apple's Health and Workout, Samsung Health, Google Fit, Garmin
 * Connect and Fitbit. Sources: the names of workout types in the localized user guides of Apple Watch (support.apple.com), and
 * of activities in the string resources of Health Connect (developer.android.com). A word is a part of a name, so that
 * compounds are found. Their energy is that of the English names in `sports.ts`.
 */

export type Kind = 'none' | 'light' | 'walk' | 'moderate' | 'vigorous';

/** Words by kind. The first kind with a word of a name counts. */
export const sportWords: readonly (readonly [kind: Kind, words: string])[] = [
  [
    'none',
    'achtsamkeit atemübung méditation pleine·conscience meditación respiración meditazione respirazione meditação respiração ' +
      'meditatie ademhaling медитац дыхан дихан осознанн meditasyon nefes διαλογισμ medytac meditácia 冥想 瞑想 正念 呼吸 ' +
      'マインドフルネス 명상 호흡 마음챙김 تأمل تنفس สมาธิ การหายใจ מדיטציה נשימה ध्यान thiền meditasi 驾驶 睡眠 수면 сон schlafen',
  ],
  [
    'light',
    'dehnen dehnung étirement estiramiento stretching allungamento alongamento rekken strekken venyttely rozciąganie strečink ' +
      'растяжк розтяжк esneme йога йоги joga jóga γιόγκα ヨガ 瑜伽 瑜珈 요가 يوغا โยคะ יוגה योग пилатес ピラティス 普拉提 皮拉提斯 필라테스 ' +
      'بيلاتس พิลาทิส ストレッチ 拉伸 伸展 스트레칭 太極 太极 태극권 тай-чи тайцзи abkühlen récupération enfriamiento defaticamento ' +
      'クールダウン 缓和 緩和 쿨다운 заминка angeln pêche·à pesca 钓鱼 釣り segeln voile vela 帆船',
  ],
  [
    'vigorous',
    'nordic·walking wandern wandertour bergwander randonnée senderismo excursionismo escursionismo trekking wandeltocht ' +
      'vandring fottur vandretur vaellus wędrów turystyka turistika поход похід doğa·yürüyüşü πεζοπορία ハイキング 登山 徒步 健行 遠足 ' +
      '远足 하이킹 등산 مشي·لمسافات التنزه เดินป่า טיול·רגלי leo·núi mendaki drumeție túrázás ' +
      'lauf laufen dauerlauf waldlauf langlauf geländelauf joggen rennen hardlopen course·à courir footing correr carrera corrida corsa ' +
      'correre löpning springa løb løping løp juoksu bieg jogging běh běhání пробежк пробіжк бег біг koşu τρέξιμο ランニング ' +
      'ジョギング ラン 跑步 慢跑 跑 달리기 러닝 조깅 جري ركض วิ่ง ריצה दौड़ chạy lari futás alergare trčanje ' +
      'radfahren fahrrad radsport radeln vélo cyclisme ciclismo bicicleta bici fietsen wielrennen cykling cykel sykling pyöräily ' +
      'rower kolarstwo cyklist jízda·na·kole велос велопрог bisiklet ποδηλα サイクリング 自転車 骑行 騎行 骑车 騎車 单车 單車 自行车 自行車 ' +
      '사이클 자전거 دراج ركوب·الدراجات จักรยาน רכיבה אופניים साइकिल đạp·xe bersepeda kerékpár ' +
      'schwimm natation nage natación nadar nuoto natação zwemmen simning svømning svømming uinti pływanie plavání plávanie ' +
      'плаван yüzme κολύμβηση 水泳 スイミング 游泳 수영 سباحة ว่ายน้ำ שחייה तैराकी bơi renang berenang úszás înot plivanje ' +
      'rudern rudergerät aviron rameur remo canottaggio roeien rodd roning soutu wioślar veslování гребл веслуван kürek ' +
      'κωπηλασία ローイング ボート漕ぎ 划船 로잉 조정 تجديف พายเรือ חתירה chèo·thuyền mendayung evezés ' +
      'klettern escalade escalada arrampicata klimmen klättring klatring kiipeily wspinaczka lezení скалолаз tırmanma αναρρίχηση ' +
      'クライミング 攀岩 클라이밍 تسلق ปีนเขา טיפוס treppensteigen escaliers escaleras scale escadas traplopen trappor schody ' +
      'лестниц merdiven 階段 爬楼 爬樓 계단 الدرج seilspringen corde·à comba saltar·la corda touwtje hopprep skakanka скакалк ' +
      '縄跳び 跳绳 跳繩 줄넘기 fußball fussball football fútbol calcio futebol voetbal fotboll fodbold fotball jalkapallo piłka·nożna ' +
      'fotbal футбол futbol ποδόσφαιρο サッカー 足球 축구 كرة·القدم ฟุตบอล כדורגל bóng·đá sepak·bola baloncesto pallacanestro ' +
      'basketbol баскетбол バスケ 篮球 籃球 농구 كرة·السلة tenis теннис τένις テニス 网球 網球 테니스 تنس เทนนิส boxen boxe boxeo ' +
      'pugilato boksen boxning boksing nyrkkeily boks бокс πυγμαχία ボクシング 拳击 拳擊 복싱 ملاكمة ชกมวย kampfsport arts·martiaux ' +
      'artes·marciales arti·marziali единоборств 格闘技 武术 武術 무술 schlittschuh patinage patinaje pattinaggio patinação ' +
      'schaatsen skridsko skøjte luistelu łyżwiar bruslení конькобеж katání スケート 滑冰 溜冰 스케이트 ski·de·fond esquí·de·fondo ' +
      'sci·di·fondo längdskid langrenn hiihto narciarstwo·biegowe běžky беговые·лыжи クロスカントリー 越野 크로스컨트리 ' +
      'intervall fractionné intervalos intervalli интервальн インターバル 间歇 間歇 인터벌 hiit',
  ],
  [
    'walk',
    'spazieren spaziergang gehen marche·à marche caminata caminar camminata camminare passeggiata caminhada wandelen wandeling ' +
      'promenad gåtur gange kävely spacer chůze chodz ходьба прогулк ходіння yürüyüş περπάτημα βάδισμα ウォーキング ウォーク 散歩 歩行 步行 走路 ' +
      '健走 散步 걷기 산책 مشي เดิน הליכה चलना đi·bộ jalan·kaki berjalan séta mers·pe hodanje',
  ],
  [
    'moderate',
    'krafttraining kraftsport hanteltraining musculation renforcement fuerza forza força krachttraining styrketräning ' +
      'styrketrening styrketræning voimaharjoittelu siłow silov силов kuvvet ενδυνάμωση 筋力 筋トレ ウエイト 力量 肌力 重量训练 근력 ' +
      'القوة เวท כוח tập·tạ latihan·kekuatan tanz danse danza baile dança dansen dans tanssi taniec tanec танц χορός ダンス 舞蹈 舞 ' +
      '댄스 رقص เต้น ריקוד nhảy crosstrainer ellipt elíptic ellittic элипт эллип エリプティカル 椭圆 橢圓 일립티컬 ski·alpin esquí sci·alpino ' +
      'スキー 滑雪 스키 лыж gartenarbeit jardinage 高尔夫 高爾夫 ゴルフ 골프 гольф',
  ],
];
