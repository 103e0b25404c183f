import HTTPTypes
import TestSupport

extension DatabaseTests {
    private static let scores = "{\"a\":{\"n\":3},\"b\":{\"n\":1},\"c\":{\"n\":2}}"
    private static let rules = "{\"rules\":{\"s\":{\".indexOn\":\"n\"}}}"

    static let queries = [
        Story(
            "queries by key", .init(.put, "/s.json", scores, is: nil),
            .init(.get, "/s.json?orderBy=%22$key%22&startAt=%22b%22", is: "{\"b\":{\"n\":1},\"c\":{\"n\":2}}"),
            .init(.get, "/s.json?orderBy=%22$key%22&endBefore=%22b%22", is: "{\"a\":{\"n\":3}}"),
            .init(.get, "/s.json?orderBy=%22$key%22&limitToLast=1", is: "{\"c\":{\"n\":2}}"),
            .init(.get, "/s.json?orderBy=%22$key%22&equalTo=%22x%22", is: "null"),
            .init(.get, "/s.json?orderBy=%22$key%22&limitToFirst=2&count=true", is: "2")),
        Story(
            "queries by a child, with an index", .init(.put, "/s.json", scores, is: nil),
            .init(
                .get, "/s.json?orderBy=%22n%22",
                is:
                    "{\"error\":\"Index not defined, add \\\".indexOn\\\": \\\"n\\\", for path \\\"/s\\\", to the rules\"}",
                400),
            .init(.put, "/.settings/rules.json", rules, is: "{\"status\":\"ok\"}"),
            .init(.get, "/s.json?orderBy=%22n%22&startAt=2", is: "{\"a\":{\"n\":3},\"c\":{\"n\":2}}"),
            .init(.get, "/s.json?orderBy=%22n%22&limitToLast=1", is: "{\"a\":{\"n\":3}}"),
            .init(.get, "/s.json?orderBy=%22n%22&equalTo=1&print=pretty", is: "{\n  \"b\": {\n    \"n\": 1\n  }\n}"),
            .init(
                .get, "/s.json?orderBy=%22n%22&descending=true&limitToLast=2",
                is: "{\"a\":{\"n\":3},\"c\":{\"n\":2}}")),
        Story(
            "queries that none can answer",
            .init(
                .get, "/s.json?limitToFirst=1",
                is: "{\"error\":\"orderBy must be defined when other query parameters are defined\"}", 400),
            .init(
                .get, "/s.json?orderBy=n", is: "{\"error\":\"orderBy must be a valid JSON encoded path\"}", 400),
            .init(
                .get, "/s.json?orderBy=%22n%22&startAt=x",
                is: "{\"error\":\"Constraint index field must be a JSON primitive\"}", 400),
            .init(
                .get, "/s.json?orderBy=%22n%22&equalTo=%7B%7D",
                is: "{\"error\":\"Constraint index field must be a JSON primitive\"}", 400),
            .init(
                .get, "/s.json?orderBy=%22$key%22&startAt=1",
                is: "{\"error\":\"Provided key index type is invalid, must be string\"}", 400),
            .init(.get, "/s.json?orderBy=%22$key%22&limitToFirst=0", is: nil, 400),
            .init(.get, "/s.json?orderBy=%22$key%22&limitToFirst=99999999999999999999", is: nil, 400),
            .init(.get, "/s.json?orderBy=%22$key%22&limitToFirst=1&limitToLast=1", is: nil, 400),
            .init(.get, "/s.json?orderBy=%22$key%22&equalTo=%22a%22&startAt=%22a%22", is: nil, 400),
            .init(.get, "/s.json?orderBy=%22$key%22&startAfter=%22a%22&startAt=%22a%22", is: nil, 400),
            .init(.get, "/s/.priority.json?orderBy=%22$key%22", is: nil, 400)),
        Story(
            "rules", .init(.get, "/.settings/rules.json", is: "{\"rules\":{}}"),
            .init(.put, "/.settings/rules.json", "// ours\n" + rules, is: "{\"status\":\"ok\"}"),
            .init(.get, "/.settings/rules.json", is: "// ours\n" + rules),
            .init(.get, "/.settings/rules.json?format=strict", is: "       \n" + rules),
            .init(.get, "/.settings/rules.json?ns=other", is: "{\"rules\":{}}"),
            .init(.put, "/.settings/rules.json", "{\"rules\":{\n\".reed\":true}}", is: nil, 400),
            .init(.get, "/.settings/rules.json", is: "// ours\n" + rules),
            .init(.delete, "/.settings/rules.json", is: nil, 405),
            .init(.put, "/.settings/rules.json", String(repeating: " ", count: 2 << 20), is: nil, 413)),
    ]
}
