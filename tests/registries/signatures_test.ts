/** Signatures of images, against a registry on the loopback address. */
import { signaturesContract } from "../contract/signatures.ts";
import { corpusFixtures, hasCorpus } from "./signing/corpus.ts";
import { madeFixtures } from "./signing/fixtures.ts";

signaturesContract("images signed in the test", madeFixtures);

if (hasCorpus()) signaturesContract("the corpus' images", corpusFixtures);
else Deno.test({ name: "the corpus' images: the corpus is not there", ignore: true, fn: () => {} });
