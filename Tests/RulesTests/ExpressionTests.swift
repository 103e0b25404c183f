import Testing

@testable import Rules

/// Every operator, method and variable, with their results and their faults.
@Suite struct ExpressionTests {
    typealias Case = (rule: String, outcome: Outcome)

    static let literals: [Case] = [
        ("true", .yes), ("false", .no), (" ( true ) ", .yes), ("\n\ttrue\r\n", .yes),
        ("1 < 2", .yes), ("0x10 == 16", .yes), (".5 == 0.5", .yes), ("5. == 5", .yes), ("1e3 == 1000", .yes),
        ("1E+3 == 1000", .yes), ("25e-1 == 2.5", .yes), ("-1 < 0", .yes), ("- -1 == 1", .yes),
        ("'a' == \"a\"", .yes), (#"'\'' == "'""#, .yes), (#"'\x41\u0042\u{43}' == 'ABC'"#, .yes),
        (#"'\ud83d\ude00' == '😀'"#, .yes), (#"'\n' != 'n'"#, .yes),
        (#"'\q' == 'q'"#, .yes), ("'' == ''", .yes), ("null == null", .yes), ("'é' == 'e\u{301}'", .no),
    ]

    static let operators: [Case] = [
        ("1 + 2 * 3 == 7", .yes), ("(1 + 2) * 3 == 9", .yes), ("7 - 2 - 1 == 4", .yes), ("8 / 4 / 2 == 1", .yes),
        ("7 % 4 == 3", .yes), ("-7 % 4 == -3", .yes), ("'a' + 'b' == 'ab'", .yes), ("'a' + 1 == 'a1'", .yes),
        ("1 + 'a' == '1a'", .yes), ("1 + 1 + 'a' == '2a'", .yes), ("'a' + 1 + 1 == 'a11'", .yes),
        ("'' + 0.1 == '0.1'", .yes), ("'' + 1e21 == '1e+21'", .yes), ("'' + 1e-7 == '1e-7'", .yes),
        ("'' + 123456789012345680000 == '123456789012345680000'", .yes), ("'' + -1.5e-10 == '-1.5e-10'", .yes),
        ("'' + 0.000001 == '0.000001'", .yes), ("'' + -0 == '0'", .yes), ("'' + 1.25e25 == '1.25e+25'", .yes),
        ("1/0 + '' == 'NaN'", .yes), ("1/0 > 2", .no), ("1/0 < 2", .no), ("1/0 == 1/0", .no), ("1/0 != 1/0", .yes),
        ("!(1/0 <= 1/0)", .yes), ("0 % 0 == 0", .no), ("'a' < 'b'", .yes), ("'b' <= 'b'", .yes), ("'B' > 'a'", .no),
        ("'b' >= 'c'", .no), ("'' < 'a'", .yes), ("'\u{FFFD}' > '😀'", .yes), ("1 == '1'", .no), ("1 != '1'", .yes),
        ("true == 1", .no), ("null == false", .no), ("null != false", .yes), ("1 === 1.0", .yes), ("1 !== 1", .no),
        ("!true", .no), ("!!true", .yes), ("!(1 == 2)", .yes), ("true || false && false", .yes),
        ("(true || false) && false", .no), ("false || false || true", .yes), ("true && true && false", .no),
        ("true ? false : true", .no), ("false ? false : true ? true : false", .yes),
        ("(true ? 1 : 'a') == 1", .yes), ("1 < 2 == true", .yes), ("!false == true", .yes),
        ("1 + 2 < 4 && 'a' + 'b' == 'ab'", .yes),
    ]

    static let laziness: [Case] = [
        ("true || auth.none.length > 1", .yes), ("auth.none.length > 1 || true", .fault(.noLength)),
        ("false && auth.none.length > 1", .no), ("true ? true : auth.none.length > 1", .yes),
        ("false ? auth.none.length > 1 : true", .yes), ("!(auth.none.length > 1)", .fault(.noLength)),
        ("(auth.none.length > 1) == false", .fault(.noLength)),
        ("auth.none.length > 1 ? false : true", .fault(.noLength)),
        ("(false && auth.none.length > 1) || true", .yes), ("true && auth.none.length > 1", .fault(.noLength)),
    ]

    static let untyped: [Case] = [
        ("auth != null", .yes), ("auth == null", .no), ("auth.uid == 'bob'", .yes), ("auth['uid'] === 'bob'", .yes),
        ("auth.uid !== 'eve'", .yes), ("auth.none == null", .yes), ("auth.a.b.c == null", .yes),
        ("auth.uid.name == null", .yes), ("auth.foo.bar == true", .yes), ("auth.foo['bar'] == true", .yes),
        ("auth.foo[$item] == null", .yes), ("auth.foo[1] == 'first'", .yes),
        ("auth.foo[auth.none] == null", .fault(.badIndex)),
        ("auth.roles[0] == 'reader'", .yes), ("auth.roles[2] == null", .yes), ("auth.roles[0.5] == null", .yes),
        ("auth.roles['0'] == null", .yes), ("auth.token.admin === true", .yes), ("auth == auth", .no),
        ("auth.foo != auth.foo", .yes), ("auth.someInt < 5", .yes), ("1 >= auth.someInt", .yes),
        ("auth.half * 2 == auth.someInt", .yes), ("auth.someString + 'two' == 'onetwo'", .yes),
        ("auth.someString + 1 == 'one1'", .yes), ("auth.someInt + auth.someInt == 2", .yes),
        ("auth.none + 1 == 1", .fault(.notAddable)), ("'a' + auth.none == 'a'", .fault(.notAddable)),
        ("auth.someBool + 'a' == 'truea'", .fault(.notAddable)), ("1 + auth.someBool == 2", .fault(.notAddable)),
        ("auth.foo + 'a' == 'a'", .fault(.notAddable)), ("auth.someString - 1 == 0", .fault(.notNumber)),
        ("1 * auth.none == 0", .fault(.notNumber)), ("auth.someBool / 2 == 1", .fault(.notNumber)),
        ("1 % auth.someString == 1", .fault(.notNumber)), ("-auth.none == 0", .fault(.notNumber)),
        ("-auth.someInt == -1", .yes), ("'foo' > auth.none", .fault(.notComparable)),
        ("auth.none <= 1", .fault(.notComparable)), ("'one' >= auth.someInt", .fault(.notComparable)),
        ("auth.someBool < 2", .fault(.notComparable)), ("auth.foo < 'a'", .fault(.notComparable)),
        ("auth.someInt == 'one'", .no), ("auth.someInt != 'one'", .yes), ("auth.long.length == 3", .yes),
        ("auth.uid.length == 3", .yes), ("auth.someInt.length == 1", .fault(.noLength)),
        ("auth.contains('b')", .fault(.notText)), ("auth.none.contains('b')", .fault(.notText)),
        ("auth.uid.contains('o')", .yes), ("auth.uid['contains']('o')", .yes),
        ("auth.foo.toLowerCase() == ''", .fault(.notText)),
    ]

    static let text: [Case] = [
        ("'Grüße 😀'.length == 8", .yes), ("$item.length == 2", .yes), ("'abc'.contains('b')", .yes),
        ("'abc'.contains('')", .yes), ("'abc'.contains('abcd')", .no), ("'aab'.contains('ab')", .yes),
        ("'abc'.beginsWith('ab')", .yes), ("'abc'.beginsWith('bc')", .no), ("'abc'.beginsWith('')", .yes),
        ("'abc'.endsWith('bc')", .yes), ("'abab'.endsWith('ab')", .yes), ("'abc'.endsWith('ab')", .no),
        ("'b'.endsWith('ab')", .no), ("'a-b-c'.replace('-', '+') == 'a+b+c'", .yes),
        ("'aaaa'.replace('aa', 'a') == 'aa'", .yes), ("'abc'.replace('', 'x') == 'abc'", .yes),
        ("'abc'.replace('b', '') == 'ac'", .yes), ("'ÄB'.toLowerCase() == 'äb'", .yes),
        ("'äß'.toUpperCase() == 'ÄSS'", .yes),
        ("'foo'.contains(auth.none)", .fault(.notTextArgument)),
        ("'1'.beginsWith(auth.someInt)", .fault(.notTextArgument)),
        ("'foo'.endsWith(auth.none)", .fault(.notTextArgument)),
        ("'a'.replace(auth.someInt, '') == 'a'", .fault(.notTextArgument)),
        ("'a'.replace('b', auth.someInt) == 'a'", .fault(.notTextArgument)), ("'bar'.matches(/^ba/)", .yes),
        ("'bar'.matches(/^wa/)", .no), ("'bar'.matches(/BAR/i)", .yes), ("'a/b'.matches(/^a\\/b$/)", .yes),
        ("'a/b'.matches(/^a[/]b$/)", .yes), ("auth.someInt.matches(/1/)", .fault(.notText)),
        ("'x'['length'] == 1", .yes),
        ("$item == 'i1'", .yes), ("$item['length'] == 2", .yes), ("$item.beginsWith('i')", .yes),
    ]

    static let snapshots: [Case] = [
        ("data.exists()", .yes), ("newData.exists()", .yes), ("root.exists()", .yes), ("data.val() != null", .yes),
        ("data.val() == data.val()", .no), ("data.val() == 'hello'", .no), ("data.val() != true", .yes),
        ("data.child('text').val() == 'hello'", .yes), ("newData.child('text').val().length == 8", .yes),
        ("data.child('count').val() + 1 == newData.child('count').val()", .yes),
        ("data.child('none').val() == null", .yes), ("data.child('none').exists()", .no),
        ("data.child('text/none').exists()", .no), ("data.child('tags/a').val() == true", .yes),
        ("data.child('/tags//a/').val() == true", .yes), ("data.child('tags').child('b').val() === false", .yes),
        ("data.child('').exists()", .no), ("data.child('').val() == null", .yes), ("data.child('/').exists()", .no),
        ("data.child('a.b').exists()", .no), ("data.child('bob@example.com').val() != true", .yes),
        ("data.child(auth.none).exists()", .fault(.notTextArgument)),
        ("data.child(auth.foo).val() == null", .fault(.notTextArgument)),
        ("root.child('users/' + auth.uid).exists()", .yes),
        ("root.child('users/' + auth.none).exists()", .fault(.notAddable)),
        ("root.child('users').child(auth.uid).child('name').val() == 'Bob'", .yes),
        ("newData.parent().parent().child('users/bob/name').val() == 'Robert'", .yes),
        ("data.parent().parent().child('users/bob/name').val() == 'Bob'", .yes),
        ("data.parent().hasChild('i2')", .yes), ("data.parent().parent().parent().exists()", .fault(.noParent)),
        ("root.parent().exists()", .fault(.noParent)), ("root.child('items').parent().exists()", .yes),
        ("data.hasChild('text')", .yes), ("data.hasChild('tags/a')", .yes), ("data.hasChild('none')", .no),
        ("data.hasChild('')", .no), ("data.hasChild(auth.foo)", .fault(.notTextArgument)), ("data.hasChildren()", .yes),
        ("data.child('text').hasChildren()", .no), ("data.child('none').hasChildren()", .no),
        ("data.hasChildren(['text', 'count'])", .yes), ("data.hasChildren(['text', 'none'])", .no),
        ("data.hasChildren([$item])", .no), ("data.hasChildren(['tags/a'])", .yes),
        ("data.hasChildren([auth.none])", .fault(.notTextArgument)),
        ("data.hasChildren(['none', auth.none])", .fault(.notTextArgument)), ("data.hasChildren([''])", .no),
        ("data.child('count').isNumber()", .yes), ("data.child('text').isNumber()", .no), ("data.isNumber()", .no),
        ("data.child('text').isString()", .yes), ("data.child('count').isString()", .no),
        ("data.child('isOpen').isBoolean()", .yes), ("data.child('text').isBoolean()", .no),
        ("newData.child('added').isNumber()", .yes), ("data.getPriority() == 7", .yes),
        ("newData.getPriority() == null", .yes), ("data.parent().child('i2').getPriority() == 'high'", .yes),
        ("data.child('none').getPriority() == null", .yes), ("data['exists']()", .yes),
        ("data.val().contains('a')", .fault(.notText)), ("data.child('text').val().contains('ell')", .yes),
        ("data.val().length > 0", .fault(.noLength)), ("data.child('none').val().length == 0", .fault(.noLength)),
        ("data.val() > 1", .fault(.notComparable)), ("data.val() + 'a' == 'a'", .fault(.notAddable)),
        ("root.child('empty/text').val() == ''", .yes),
        ("(auth != null ? data : newData).child('count').val() == 3", .yes),
        ("(auth != null ? data : 1) == 1", .no), ("now == 1795329600000", .yes), ("now > 0 && now + 1 > now", .yes),
        ("data.parent().child('i3').exists()", .no), ("newData.parent().child('i3').val() == 'new'", .yes),
        ("data.val()[$item] == null", .yes),
    ]

    static let all: [Case] = [literals, operators, laziness, untyped, text, snapshots].flatMap(\.self)

    @Test(
        "a rule has the expected value, or fails with the expected fault",
        arguments: all)
    func evaluate(rule: String, outcome: Outcome) throws {
        #expect(try Scene().outcome(of: rule) == outcome)
    }

    static let anonymous: [Case] = [
        ("auth == null", .yes), ("auth != null && auth.uid == 'bob'", .no), ("auth.uid == null", .yes),
        ("auth.uid == 'bob'", .no), ("auth.uid != 'bob'", .yes), ("auth.uid.length > 0", .fault(.noLength)),
        ("auth.contains('a')", .fault(.notText)), ("auth.a[1].b['c'] == null", .yes),
    ]

    @Test("auth is null for a client without authentication", arguments: anonymous)
    func evaluateAnonymously(rule: String, outcome: Outcome) throws {
        var scene = Scene()
        scene.auth = nil
        #expect(try scene.outcome(of: rule) == outcome)
    }

    static let queries: [(rule: String, query: RulesQuery?, outcome: Outcome)] = [
        ("query.orderByKey", nil, .yes), ("query.orderByValue || query.orderByPriority", nil, .no),
        ("query.orderByKey == true && query.orderByValue == false", nil, .yes),
        ("query.orderByChild == null", nil, .yes),
        ("query.orderByKey != null && query['orderByValue'] != null", nil, .yes),
        ("query.startAt == null && query.endAt == null && query.equalTo == null", nil, .yes),
        ("query.limitToFirst == null && query.limitToLast == null", nil, .yes),
        ("query.limitToFirst <= 10", nil, .fault(.notComparable)),
        ("query.orderByChild.length > 1", nil, .fault(.noLength)),
        ("query.orderByKey", RulesQuery(order: .value), .no), ("query.orderByValue", RulesQuery(order: .value), .yes),
        ("query.orderByPriority", RulesQuery(order: .priority), .yes),
        ("query.orderByChild == 'foo/bar'", RulesQuery(order: .child("foo/bar")), .yes),
        (
            "query.orderByChild == 'owner' && query.equalTo == auth.uid",
            RulesQuery(order: .child("owner"), equalTo: .string("bob")), .yes
        ),
        ("query.startAt == 'foo'", RulesQuery(order: .value, startAt: .string("foo")), .yes),
        ("query.endAt == 3", RulesQuery(order: .value, endAt: .number(3)), .yes),
        ("query.equalTo == true", RulesQuery(order: .value, equalTo: .bool(true)), .yes),
        ("query.limitToFirst <= 10", RulesQuery(order: .key, limitToFirst: 10), .yes),
        ("query.limitToLast < 10", RulesQuery(order: .key, limitToLast: 10), .no),
        ("(auth != null ? query : query).limitToLast == 10", RulesQuery(order: .key, limitToLast: 10), .yes),
        ("data.child('count').val() == 3", RulesQuery(order: .key, limitToLast: 10), .yes),
    ]

    @Test("a rule of a read can use the query", arguments: queries)
    func evaluateQuery(rule: String, query: RulesQuery?, outcome: Outcome) throws {
        #expect(try Scene().outcome(of: rule, kind: .read, matching: query) == outcome)
    }
}
