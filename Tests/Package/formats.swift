// Prints what the calls of Foundation that the service and its packages make return, one to a line. Scripts/test-package
// compares the lines of a program that has all of ICU's data with those of one that has the part that the service has.
//
// With `other`, prints formats in languages of which the part has no data, and fails if one of them is missing.

import Foundation

let times = [0, 951_782_400, 1_700_000_000.5, 4_102_444_799, -62_135_596_800]
let dates = times.map { Date(timeIntervalSince1970: $0) }
let texts = [
    "Ångström", "STRASSE straße", "İstanbul ıI", "Ａｂｃ１２", "ﬁle", "e\u{301}", "\u{1e9e}", "Ωμέγα ΣΑΣ", "日本語", "ｶﾀｶﾅ",
    "한글",
    "\u{1112}\u{1161}\u{11ab}", "👩‍👩‍👧‍👦🇩🇪", "عربي", "ไทยภาษา", "x\u{323}\u{307}", "  \u{a0}\u{2003}trim\u{200b}\n", "ǆ ǅ",
]
let addresses = [
    "https://bücher.example/ä", "https://xn--bcher-kva.example/", "http://日本語.example", "https://[::1]:80/x",
    "http://a b",
    "https://example.org:443/%zz", "https://straße.example", "http://١٢٣.example", "http://\u{202e}x.example",
    "http://xn--a.example",
]

func show(_ what: String, _ value: Any?) { print("\(what): \(value.map { "\($0)" } ?? "nil")") }

func points(_ text: String) -> String { text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ") }

func showDates() throws {
    let posix = Locale(identifier: "en_US_POSIX")
    let calendar = Calendar(identifier: .gregorian)
    let header = Date.VerbatimFormatStyle(
        format: """
            \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \
            \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT
            """, locale: posix, timeZone: .gmt, calendar: calendar)
    for date in dates {
        show("header", date.formatted(header))
        show("time", date.formatted(.iso8601))
        show("time with fractions", date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        show("day", date.formatted(Date.ISO8601FormatStyle().year().month().day()))
        show("local time", date.formatted(Date.ISO8601FormatStyle(timeZone: .current)))
        for zone in ["GMT", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns", "Africa/Casablanca"] {
            var local = calendar
            local.timeZone = TimeZone(identifier: zone) ?? .gmt
            let parts = local.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
            show(zone, "\(local.timeZone.secondsFromGMT(for: date)) \(parts) \(local.date(from: parts) as Any)")
        }
    }
    show("parsed", try Date("2024-02-29T12:00:00Z", strategy: .iso8601))
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    show("JSON", String(decoding: try encoder.encode(dates), as: UTF8.self))
}

func showNumbers() {
    for bytes in [0, 1, 999, 1000, 123_456, 98_765_432, 5_000_000_000_000] as [Int64] {
        show("bytes", bytes.formatted(.byteCount(style: .file)))
    }
    for seconds in [0, 1, 61, 3600, 86_399, 1_000_000] { show("units", Duration.seconds(seconds).formatted(.units())) }
    show("format", String(format: "%05d %.3f %x", 42, 3.14159, 255))
    show("number", [NSNumber(value: 1234.5).stringValue, Decimal(string: "1.25")?.description ?? "nil"])
    show("error", POSIXError(.ENOENT).localizedDescription + CocoaError(.fileReadNoSuchFile).localizedDescription)
}

func showTexts() {
    for text in texts {
        let key = text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        show("key", points(key))
        show(
            "canonical", points(text.precomposedStringWithCanonicalMapping + text.decomposedStringWithCanonicalMapping))
        show(
            "compatible",
            points(text.precomposedStringWithCompatibilityMapping + text.decomposedStringWithCompatibilityMapping))
        show("case", [text.lowercased(), text.uppercased(), text.capitalized])
        show(
            "trimmed",
            [text.trimmingCharacters(in: .whitespaces), text.trimmingCharacters(in: .whitespacesAndNewlines)])
        show("replaced", text.replacingOccurrences(of: "a", with: "b"))
        show("characters", text.count)
        show(
            "found",
            text.range(of: "A", options: [.caseInsensitive, .diacriticInsensitive]).map { points(String(text[$0])) })
        show("order", texts.map { text.compare($0).rawValue * 3 + text.caseInsensitiveCompare($0).rawValue })
        show("escaped", text.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed))
        show("expression", text.firstMatch(of: /(\w+)\b\s*(.)?/)?.output.0)
        for encoding in [String.Encoding.utf8, .ascii, .isoLatin1, .utf16LittleEndian] {
            show(
                "encoded",
                text.data(using: encoding).map { "\([UInt8]($0)) \(String(data: $0, encoding: encoding) ?? "nil")" })
        }
    }
    for address in addresses {
        let (url, parts) = (URL(string: address), URLComponents(string: address))
        show(
            "address",
            [
                url?.absoluteString, url?.host(), url?.host(percentEncoded: false), parts?.host, parts?.encodedHost,
                parts?.string,
            ])
    }
}

/// Formats in languages without data of their own are those of the root or of another language.
func showOthers() {
    for name in ["fr", "ja", "ar", "th_TH", "zh_Hant", "xx"] {
        let locale = Locale(identifier: name)
        let formatter = DateFormatter()
        formatter.locale = locale
        formatter.dateStyle = .full
        let formats = [
            dates[1].formatted(Date.FormatStyle(date: .complete, time: .complete, locale: locale, timeZone: .gmt)),
            formatter.string(from: dates[1]), 1234.5.formatted(.number.locale(locale)),
            12.5.formatted(.currency(code: "EUR").locale(locale)),
            Int64(98_765_432).formatted(.byteCount(style: .file).locale(locale)),
            Duration.seconds(3661).formatted(.units().locale(locale)),
            ["a", "b"].formatted(.list(type: .and).locale(locale)),
            "b".compare("a", locale: locale) == .orderedDescending ? "sorted" : "",
        ]
        show(name, formats)
        if formats.contains("") { exit(1) }
    }
}

show("locale", Locale.current.identifier)
if CommandLine.arguments.contains("other") {
    showOthers()
} else {
    try showDates()
    showNumbers()
    showTexts()
}
