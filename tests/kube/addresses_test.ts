/** IP addresses, networks and URLs as Go reads them, and which addresses may be called. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { isFault } from "../../lib/json/mod.ts";
import {
  compileAddressRules,
  containsAddress,
  formatIpAddress,
  formatIpPrefix,
  formatUrl,
  isGlobalUnicast,
  maskedPrefix,
  parseGoUrl,
  parseIpAddress,
  parseIpPrefix,
} from "../../lib/kube/mod.ts";

const addresses: readonly (readonly [text: string, canonical: string])[] = [
  ["10.0.0.1", "10.0.0.1"],
  ["::", "::"],
  ["1::", "1::"],
  ["0:0:1:0:0:0:0:1", "0:0:1::1"],
  ["2001:db8:0:1:0:0:0:0", "2001:db8:0:1::"],
  ["1:0:0:2:0:0:3:4", "1::2:0:0:3:4"],
  ["2001:DB8::0:A", "2001:db8::a"],
  ["1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"],
  ["::ffff:1.2.3.4", "::ffff:1.2.3.4"],
  ["fe80::1%eth0", "fe80::1%eth0"],
  ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
];
for (const [text, canonical] of addresses) {
  Deno.test(`the address ${text} is written ${canonical}`, () => {
    const address = parseIpAddress(text);
    assert(!isFault(address));
    assert.equal(formatIpAddress(address), canonical);
  });
}

const noAddresses: readonly (readonly [text: string, problem: string])[] = [
  ["", 'ParseAddr(""): unable to parse IP'],
  ["1.2.3", 'ParseAddr("1.2.3"): IPv4 address too short'],
  ["1.2.3.4.5", 'ParseAddr("1.2.3.4.5"): IPv4 address too long'],
  ["1..2.3", 'ParseAddr("1..2.3"): IPv4 field must have at least one digit (at ".2.3")'],
  ["1.2.3.256", 'ParseAddr("1.2.3.256"): IPv4 field has value >255'],
  ["01.2.3.4", 'ParseAddr("01.2.3.4"): IPv4 field has octet with leading zero'],
  ["1.2.3.x", 'ParseAddr("1.2.3.x"): unexpected character (at "x")'],
  ["%eth0", 'ParseAddr("%eth0"): missing IPv6 address'],
  ["::1%", 'ParseAddr("::1%"): zone must be a non-empty string'],
  ["1:2:3", 'ParseAddr("1:2:3"): address string too short'],
  ["1:2:3:4:5:6:7:8:9", 'ParseAddr("1:2:3:4:5:6:7:8:9"): trailing garbage after address (at "9")'],
  ["1::2::3", 'ParseAddr("1::2::3"): multiple :: in address (at ":3")'],
  ["1:2:3:4:5:6:7:8::", 'ParseAddr("1:2:3:4:5:6:7:8::"): the :: must expand to at least one field of zeros'],
  ["12345::", 'ParseAddr("12345::"): each group must have 4 or less digits (at "12345::")'],
  ["1:", 'ParseAddr("1:"): colon must be followed by more characters (at ":")'],
  [":1", 'ParseAddr(":1"): each colon-separated field must have at least one digit (at ":1")'],
];
for (const [text, problem] of noAddresses) {
  Deno.test(`${JSON.stringify(text)} is no address`, () => {
    const address = parseIpAddress(text);
    assert(isFault(address), text);
    assert.equal(address.message, problem);
  });
}

Deno.test("an address has one canonical text", () => {
  const part = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant(0), part), { minLength: 8, maxLength: 8 }), (groups) => {
      const address = parseIpAddress(groups.map((group) => group.toString(16)).join(":"));
      assert(!isFault(address));
      assert.deepEqual(parseIpAddress(formatIpAddress(address)), address);
    }),
  );
});

Deno.test("parsing an address never throws and is quick, for any text", () => {
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom(..."0123456789abf:.%/") }), (text) => {
    const address = parseIpAddress(text);
    if (!isFault(address)) assert.equal(typeof isGlobalUnicast(address), "boolean");
    parseIpPrefix(text);
  }));
  parseIpAddress(`${"1:".repeat(200_000)}`);
});

Deno.test("a masked network contains its address", () => {
  fc.assert(fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (text, length) => {
    const prefix = parseIpPrefix(`${text}/${length}`);
    assert(!isFault(prefix));
    assert(containsAddress(maskedPrefix(prefix), prefix.address));
    assert(formatIpPrefix(prefix) === `${text}/${length}`);
  }));
});

const urls: readonly (readonly [text: string, printed: string | undefined])[] = [
  ["https://u:p@h:1/a%2Fb?q#f", "https://u:p@h:1/a%2Fb?q#f"],
  ["HTTP://Host", "http://Host"],
  ["/a b", "/a%20b"],
  ["http://a?", "http://a?"],
  ["mailto:x@y", "mailto:x@y"],
  ["http:/a", "http:/a"],
  ["file:///etc", "file:///etc"],
  ["http://u%40:p%3A@h/", "http://u%40:p%3A@h/"],
  ["http://ü.de/ü", "http://%C3%BC.de/%C3%BC"],
  ["http://[fe80::1%25en0]:80/", "http://[fe80::1%25en0]:80/"],
  ["http://h:1:2/", undefined],
  ["http://h:x/", undefined],
  ["http://a b/", undefined],
  ["http://h/%zz", undefined],
  ["http://[1.2.3.4]/", undefined],
  [":x", undefined],
  ["a\nb", undefined],
  ["a/b", undefined],
];
for (const [text, printed] of urls) {
  Deno.test(`${JSON.stringify(text)} ${printed === undefined ? "is no URL of a request" : `is the URL ${printed}`}`, () => {
    const request = parseGoUrl(text, "request");
    assert.equal(isFault(request), printed === undefined);
    const url = parseGoUrl(text, "reference");
    if (printed !== undefined && !isFault(url)) assert.equal(formatUrl(url), printed);
  });
}

Deno.test("any text is a URL that prints and parses to itself, or a fault", () => {
  const unit = fc.constantFrom(..."abc:/?#[]@%20!$&'()*+,;= <>\"ü\\^".split(""));
  fc.assert(fc.property(fc.string({ unit }), (text) => {
    const url = parseGoUrl(text, "reference");
    if (isFault(url)) return;
    const again = parseGoUrl(formatUrl(url), "reference");
    if (!isFault(again)) assert.equal(formatUrl(again), formatUrl(url));
  }));
});

const refused: readonly (readonly [url: string, reason: RegExp])[] = [
  ["http://127.0.0.1/", /127\.0\.0\.0\/8/],
  ["http://127.1/", /127\.0\.0\.0\/8/],
  ["http://0x7f000001/", /127\.0\.0\.0\/8/],
  ["http://2130706433/", /127\.0\.0\.0\/8/],
  ["http://0/", /0\.0\.0\.0\/8/],
  ["http://[::1]/", /::1\/128/],
  ["http://[::]/", /::\/128/],
  ["http://[::ffff:10.0.0.1]/", /10\.0\.0\.0\/8/],
  ["http://[64:ff9b::a00:1]/", /10\.0\.0\.0\/8/],
  ["http://[fe80::1]/", /fe80::\/10/],
  ["http://[fd00::1]/", /fc00::\/7/],
  ["http://169.254.169.254/latest/meta-data", /169\.254\.0\.0\/16/],
  ["http://192.168.1.1:8080/", /192\.168\.0\.0\/16/],
  ["http://172.31.0.1/", /172\.16\.0\.0\/12/],
  ["http://100.100.100.200/", /100\.64\.0\.0\/10/],
  ["http://localhost/", /blocklist/],
  ["http://api.LOCALHOST./", /blocklist/],
  ["http://METADATA.google.internal./", /blocklist/],
  ["ftp://example.com/", /scheme/],
  ["file:///etc/passwd", /scheme/],
];
for (const [url, reason] of refused) {
  Deno.test(`${url} is not called by default`, () => {
    const rules = compileAddressRules({});
    assert(!isFault(rules));
    assert.match(rules.refusesUrl(new URL(url)) ?? "", reason);
  });
}

Deno.test("other addresses and names are allowed; a name's addresses are checked separately", () => {
  const rules = compileAddressRules({});
  assert(!isFault(rules));
  for (
    const url of [
      "https://example.com/",
      "http://8.8.8.8/",
      "http://svc.ns.svc.cluster.local/",
      "http://172.32.0.1/",
    ]
  ) {
    assert.equal(rules.refusesUrl(new URL(url)), undefined, url);
  }
  assert.match(rules.refusesAddress("10.0.0.1") ?? "", /10\.0\.0\.0\/8/);
  assert.match(rules.refusesAddress("fe80::1%eth0") ?? "", /fe80/);
  assert.equal(rules.refusesAddress("8.8.8.8"), undefined);
});

Deno.test("networks and hosts may be exempt, and the list may be replaced", () => {
  const rules = compileAddressRules({ exempt: ["10.96.0.0/12", "localhost"] });
  assert(!isFault(rules));
  assert.equal(rules.refusesUrl(new URL("http://10.96.0.1/")), undefined);
  assert.equal(rules.refusesUrl(new URL("http://localhost:8080/")), undefined);
  assert.match(rules.refusesUrl(new URL("http://10.0.0.1/")) ?? "", /10\.0\.0\.0\/8/);
  const none = compileAddressRules({ blocked: [] });
  assert(!isFault(none));
  assert.equal(none.refusesUrl(new URL("http://127.0.0.1/")), undefined);
});

Deno.test("with a list of allowed URLs, every call must begin with one of them", () => {
  const rules = compileAddressRules({ allowed: ["https://api.example.com/v1"] });
  assert(!isFault(rules));
  const cases: readonly (readonly [url: string, allowed: boolean])[] = [
    ["https://api.example.com/v1", true],
    ["https://API.example.com:443/v1/x?y", true],
    ["https://api.example.com/v10", false],
    ["http://api.example.com/v1", false],
    ["https://api.example.com:8443/v1", false],
    ["https://api.example.com.evil/v1", false],
    ["https://api.example.com/v1/../v2", false],
  ];
  for (const [url, allowed] of cases) {
    assert.equal(rules.refusesUrl(new URL(url)) === undefined, allowed, url);
  }
});

Deno.test("entries that cannot be parsed are reported", () => {
  for (const options of [{ blocked: ["10.0.0.0/99"] }, { exempt: ["x/y"] }, { allowed: ["/path"] }]) {
    assert(isFault(compileAddressRules(options)));
  }
});
