import HTTPTypes

extension DatabaseTests {
    static let forms = [
        Story(
            "priorities", .init(.put, "/a.json", "{\".value\":1,\".priority\":\"p\"}", is: "1"),
            .init(.get, "/a.json?format=export", is: "{\".value\":1,\".priority\":\"p\"}"),
            .init(.get, "/a/.priority.json", is: "\"p\""), .init(.put, "/a/.priority.json", "2.5", is: "2.5"),
            .init(.get, "/.json?format=export", is: "{\"a\":{\".value\":1,\".priority\":2.5}}"),
            .init(.delete, "/a/.priority.json", is: "null"), .init(.get, "/a/.priority.json", is: "null"),
            .init(.get, "/a.json?format=export", is: "1")),
        Story(
            "print=silent", .init(.put, "/a.json?print=silent", "1", is: "", 204),
            .init(.get, "/a.json?print=silent", is: "", 204),
            .init(.patch, "/.json?print=silent", "{\"b\":1}", is: "", 204),
            .init(.post, "/c.json?print=silent", "1", is: "", 204),
            .init(.delete, "/a.json?print=silent", is: "", 204)),
        Story(
            "print=pretty", .init(.put, "/a.json?print=pretty", "{\"b\":{\"c\":[1,2]},\"d\":\"{}\"}", is: nil),
            .init(
                .get, "/a.json?print=pretty",
                is: "{\n  \"b\": {\n    \"c\": [\n      1,\n      2\n    ]\n  },\n  \"d\": \"{}\"\n}"),
            .init(.patch, "/.json?print=pretty", "{}", is: "{}")),
        Story(
            "shallow", .init(.put, "/a.json", "{\"b\":{\"c\":1},\"d\":2,\"e\":[1]}", is: nil),
            .init(.get, "/a.json?shallow=true", is: "{\"b\":true,\"d\":true,\"e\":true}"),
            .init(.get, "/a/d.json?shallow=true", is: "2"), .init(.get, "/x.json?shallow=true", is: "null"),
            .init(
                .get, "/a.json?shallow=true&orderBy=%22$key%22",
                is: "{\"error\":\"shallow cannot be mixed with other query parameters\"}", 400)),
        Story(
            "shallow in pages, as the vendor's command line walks a tree",
            .init(.put, "/a.json", "{\"10\":1,\"9\":{\"x\":1},\"b\":2,\"c d\":[1],\"e\":\"x\"}", is: nil),
            .init(.get, "/a.json?shallow=true&limitToFirst=2", is: "{\"9\":true,\"10\":true}"),
            .init(.get, "/a.json?shallow=true&limitToFirst=100&timeout=1000ms", is: nil),
            .init(.get, "/a.json?shallow=true&limitToLast=1", is: "{\"e\":true}"),
            .init(.get, "/a.json?shallow=true&limitToFirst=2&startAt=b", is: "{\"b\":true,\"c d\":true}"),
            .init(.get, "/a.json?shallow=true&limitToFirst=2&startAt=%22b%22", is: "{\"b\":true,\"c d\":true}"),
            .init(.get, "/a.json?shallow=true&limitToFirst=2&startAfter=c+d", is: "{\"e\":true}"),
            .init(.get, "/a.json?shallow=true&startAfter=9&endAt=b", is: "{\"10\":true,\"b\":true}"),
            .init(.get, "/a.json?shallow=true&endBefore=b&equalTo=b", is: nil, 400),
            .init(.get, "/a.json?shallow=true&startAfter=e", is: "null"),
            .init(.get, "/a/e.json?shallow=true&limitToFirst=1", is: "null"),
            .init(.get, "/x.json?shallow=true&limitToFirst=1", is: "null"),
            .init(.get, "/a.json?shallow=true&limitToFirst=0", is: nil, 400),
            .init(.get, "/a.json?shallow=true&limitToFirst=1&print=pretty", is: "{\n  \"9\": true\n}")),
        Story(
            "PATCH with null deletes, as the vendor's command line does",
            .init(.put, "/a.json", "{\"b\":{\"c\":1},\"d\":2}", is: nil),
            .init(.patch, "/a/b.json?print=silent&writeSizeLimit=tiny&disableTriggers=false", "null", is: "", 204),
            .init(.get, "/a.json", is: "{\"d\":2}"), .init(.patch, "/a.json", " null ", is: "null"),
            .init(.get, "/.json", is: "null"), .init(.patch, "/a.json", "[null]", is: nil, 400),
            .init(.patch, "/a/.priority.json", "null", is: nil, 400),
            .init(.patch, "/a.json", "null null", is: nil, 400)),
        Story(
            "a tree's own v1 and media are places as all others",
            .init(.put, "/v1/users.json?ns=app", "{\"a\":1}", is: "{\"a\":1}"),
            .init(.put, "/media/x/y/z.json?ns=app", "2", is: "2"), .init(.get, "/v1/users/a.json?ns=app", is: "1"),
            .init(.get, "//v1/users/a.json?ns=app", is: "1"),
            .init(.get, "/.json?ns=app", is: "{\"media\":{\"x\":{\"y\":{\"z\":2}}},\"v1\":{\"users\":{\"a\":1}}}"),
            .init(.get, "/v1/users.json", is: "null")),
        Story(
            "count", .init(.put, "/a.json", "{\"b\":{\"c\":1},\"d\":2}", is: nil),
            .init(.get, "/a.json?count=true", is: "2"), .init(.get, "/a/d.json?count=true", is: "0"),
            .init(.get, "/x.json?count=true", is: "0")),
        Story(
            "callback", .init(.put, "/a.json", "1", is: "1"),
            .init(.get, "/a.json?callback=app.$show_1", is: "/**/app.$show_1(1);"),
            .init(
                .get, "/a.json?callback=alert(1)//",
                is: "{\"error\":\"callback is not the name of a function\"}", 400),
            .init(.get, "/a.json?callback=a..b", is: nil, 400), .init(.get, "/a.json?callback=1a", is: nil, 400)),
        Story(
            "timeout and writeSizeLimit", .init(.get, "/a.json?timeout=3s", is: "null"),
            .init(.get, "/a.json?timeout=10min", is: "null"), .init(.get, "/a.json?timeout=10", is: nil, 400),
            .init(.get, "/a.json?timeout=-1s", is: nil, 400),
            .init(.get, "/a.json?timeout=99999999999999999999s", is: nil, 400),
            .init(.put, "/a.json?writeSizeLimit=tiny", "1", is: "1"),
            .init(.delete, "/a.json?writeSizeLimit=tiny&disableTriggers=true", is: "null"),
            .init(.put, "/a.json?writeSizeLimit=huge", "1", is: nil, 400)),
        Story("unknown parameters are ignored", .init(.get, "/a.json?x=y&z&=&&%zz=1", is: "null")),
        Story(
            "a method can be said otherwise",
            .init(.post, "/a.json", "1", headers: [.named("x-http-method-override"): "PUT"], is: "1"),
            .init(.post, "/.json?x-http-method-override=PATCH", "{\"b\":2}", is: "{\"b\":2}"),
            .init(.post, "/a.json?x-http-method-override=get", is: "1"),
            .init(.post, "/a.json?x-http-method-override=TRACE", is: nil, 400),
            .init(.put, "/a.json", "3", headers: [.named("x-http-method-override"): "DELETE"], is: "3"),
            .init(.post, "/a.json", headers: [.named("x-http-method-override"): "DELETE"], is: "null")),
        Story(
            "tools of emulators", .init(.put, "/.settings/functionTriggers.json", "{}", is: "{\"status\":\"ok\"}"),
            .init(.get, "/.json", is: "null")),
    ]
}
