// Passwords that attackers try first. Most of the well-known ones are shorter than twelve characters, so what matters is what people
// make of them to be long enough: the words below with digits, signs and letters that look alike.

/** Words that no password may be made of alone: with digits and signs around it, twice, or with letters replaced by signs. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(
  (
    "password passwort motdepasse contrasena wachtwoord parola senha haslo " +
    "passw0rd pass passwd passphrase secret geheim default temp temporary guest user username login signin " +
    "admin administrator root superuser sysadmin master operator manager support service server system database " +
    "welcome willkommen bienvenue hello hallo letmein openup opensesame changeme changethis changeit newpassword " +
    "iloveyou ilovegod iloveme loveme lovely love sweetheart princess sunshine rainbow butterfly flower chocolate " +
    "monkey dragon tiger lion eagle falcon phoenix unicorn kitten puppy buster shadow ninja samurai wizard " +
    "football baseball basketball soccer hockey tennis liverpool arsenal chelsea barcelona realmadrid juventus " +
    "superman batman spiderman starwars pokemon naruto minecraft fortnite matrix trustno computer internet " +
    "qwerty qwertyuiop qwertz qwertzuiop azerty azertyuiop asdf asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx qazwsxedc " +
    "abc abcd abcdef abcdefg abcdefgh abcdefghijkl " +
    "michael jennifer jessica ashley daniel charlie thomas jordan michelle nicole anthony matthew andrew joshua " +
    "january february march april june july august september october november december " +
    "monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter " +
    "whatever nothing access test testing tester testtest example sample demo private company business office " +
    "google facebook twitter instagram microsoft windows apple samsung android postgres postgresql mysql oracle redis " +
    "millrace workflow workflowengine gateway kubernetes docker"
  ).split(" "),
)

/** Long ones that are on every list as they stand. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set([
  "1q2w3e4r5t6y",
  "1qaz2wsx3edc",
  "1qaz2wsx3edc4rfv",
  "123qweasdzxc",
  "qweasdzxc123",
  "q1w2e3r4t5y6",
  "zaq12wsxcde3",
  "a1b2c3d4e5f6",
  "aa123456789a",
  "abcd1234abcd",
  "abc123abc123",
  "correcthorsebatterystaple",
  "correct horse battery staple",
  "thisisapassword",
  "thisismypassword",
  "mypassword123",
  "mysecretpassword",
  "supersecretpassword",
  "nopassword123",
  "password1password1",
  "letmeinplease",
  "pleaseletmein",
  "iloveyousomuch",
  "iloveyouforever",
  "neveragain123",
  "whatsyourname",
  "jesuschrist1",
  "marseille13013",
  "football1234",
  "adminadmin123",
  "administrator1",
  "rootrootroot",
  "changemenow1",
  "welcome2welcome",
  "startrek1701",
  "1234567890ab",
  "0123456789ab",
])

/** Along which fingers wander: forwards, backwards, and from any of its characters on. */
export const RUNS: readonly string[] = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890123456789",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "azertyuiopqsdfghjklmwxcvbn",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "qazwsxedcrfvtgbyhnujmikolp",
  "1q2w3e4r5t6y7u8i9o0p",
]
