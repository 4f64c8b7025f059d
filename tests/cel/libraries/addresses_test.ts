/** URLs, IP addresses and networks in CEL; the examples are those of Kubernetes' documentation of the libraries. */
import assert from "node:assert/strict";
import { costOf, jsonOf, testFacts, typedOf } from "./evaluate.ts";

testFacts([
  ["url('https://user:pass@example.com:80').getHost()", "example.com:80"],
  ["url('https://example.com:80/').getScheme()", "https"],
  ["url('/path').getScheme()", ""],
  ["url('https://[::1]:80/').getHostname()", "::1"],
  ["url('https://example.com/').getPort()", ""],
  ["url('https://example.com/path with spaces/').getEscapedPath()", "/path%20with%20spaces/"],
  ["url('https://example.com').getEscapedPath()", ""],
  ["url('https://example.com/path?k1=a&k2=b&k2=c').getQuery()", { k1: ["a"], k2: ["b", "c"] }],
  ["url('https://example.com/path?key with spaces=value with spaces').getQuery()", {
    "key with spaces": ["value with spaces"],
  }],
  ["url('https://example.com/path?').getQuery()", {}],
  ["url('https://example.com/?a%zz=1&b;c&d').getQuery()", { d: [""] }],
  ["url('https://example.com/a#b') == url('https://example.com/a#b')", true],
  ["url('https://example.com:80/') == url('https://example.com/')", false],
  ["isURL('https://user:pass@example.com:80/path?query=val#fragment')", true],
  ["isURL('/absolute-path')", true],
  ["isURL('https://a:b/')", false],
  ["isURL('../relative-path')", false],
  [
    "url('../relative-path')",
    /^other: URL parse error during conversion from string: parse "..\/relative-path"/,
  ],
  ["url(object)", /^no_such_overload/],
  ["url('/a').scheme", /^compile: .*unexpected failed resolution of 'kubernetes.URL'/],
]);

testFacts([
  ["string(ip('2001:DB8::0:1'))", "2001:db8::1"],
  ["ip('127.0.0.1').family()", 4],
  ["ip('::1').family()", 6],
  ["isIP('127.0.0.256')", false],
  ["isIP(':::1')", false],
  ["ip.isCanonical('2001:db8::abcd')", true],
  ["ip.isCanonical('2001:DB8::ABCD')", false],
  ["ip.isCanonical('2001:db8::0:0:0:abcd')", false],
  ["ip.isCanonical('nonsense')", /^other: IP Address "nonsense" parse error/],
  ["ip('0.0.0.0').isUnspecified()", true],
  ["ip('127.0.0.1').isLoopback()", true],
  ["ip('224.0.0.1').isLinkLocalMulticast()", true],
  ["ip('224.0.1.1').isLinkLocalMulticast()", false],
  ["ip('169.254.169.254').isLinkLocalUnicast()", true],
  ["ip('192.168.0.1').isGlobalUnicast()", true],
  ["ip('255.255.255.255').isGlobalUnicast()", false],
  ["ip('ff00::1').isGlobalUnicast()", false],
  ["ip('::ffff:1.2.3.4')", /^other: IPv4-mapped IPv6 address/],
  ["ip('fe80::1%eth0')", /^other: IP address "fe80::1%eth0" with zone value/],
  ["ip('::1') == ip('0:0::1')", true],
  ["ip('1.1.1.1') in [ip('2.2.2.2'), ip('1.1.1.1')]", true],
  ["type(ip('::1')) == net.IP", true],
  ["ip('::1').family", /^compile: .*type 'net.IP' does not support field selection/],
]);

testFacts([
  ["cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))", true],
  ["cidr('192.168.0.0/24').containsIP('192.168.1.1')", false],
  ["cidr('192.168.0.0/24').containsIP('::1')", false],
  ["cidr('192.168.0.0/16').containsCIDR(cidr('192.168.10.0/24'))", true],
  ["cidr('192.168.10.0/24').containsCIDR('192.168.0.0/16')", false],
  ["cidr('192.168.1.0/24').containsCIDR('192.168.2.0/24')", false],
  ["cidr('192.168.0.1/24').ip() == ip('192.168.0.1')", true],
  ["string(cidr('192.168.0.1/24').masked())", "192.168.0.0/24"],
  ["cidr('192.168.0.1/24') == cidr('192.168.0.1/24').masked()", false],
  ["cidr('2001:db8::ffff/33').masked() == cidr('2001:db8::/33')", true],
  ["cidr('::1/128').prefixLength()", 128],
  ["isCIDR('192.168.0.0/33')", false],
  ["isCIDR('10.0.0.0/08')", false],
  ["cidr('10.0.0.0/33')", /^range: network address parse error/],
  ["cidr('10.0.0.0')", /^other: network address parse error.*no '\/'$/],
  ["cidr('10.0.0.0/8').containsIP('nonsense')", /^no_such_overload/],
  ["cidr('10.0.0.0/8').containsCIDR('nonsense')", /^other: network address parse error/],
]);

Deno.test("the parts of a network have Kubernetes' cost: the prefix's bytes twice, and reading a text", () => {
  assert.equal(costOf("cidr('10.0.0.0/8').containsIP('10.1.2.3')"), 3);
  assert.equal(costOf("cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')"), 6);
  assert.equal(costOf("url('https://example.com:8080/a/b?x=1&y=2&x=3#f').getHost()"), 6);
});

Deno.test("a query's values are lists of texts in a map", () => {
  assert.deepEqual(typedOf("url('/a?x=1').getQuery()"), {
    t: "map",
    v: [[{ t: "string", v: "x" }, { t: "list", v: [{ t: "string", v: "1" }] }]],
  });
});

for (
  const [expression, expected] of [
    ["dyn(ip('::1')) == 1", "no_such_overload"],
    ["dyn(ip('::1')) != cidr('::/0')", true],
    ["dyn(1) == ip('::1')", false],
    ["ip('::1') == null", false],
    ["ip('::1') != null", true],
  ] as const
) {
  Deno.test(`a library's value has no equality with other types: ${expression}`, () => {
    const actual = jsonOf(expression);
    assert.deepEqual(typeof actual === "string" ? actual.split(":")[0] : actual, expected);
  });
}
