import NIOHTTP1

/// How long an answer may be kept (RFC 9111 §4.2).
enum CacheAge {
    /// The `max-age` of an answer, less the time for which caches on the way have had it, in seconds; nil when it is not
    /// said.
    static func seconds(in headers: HTTPHeaders) -> Int? {
        let directives = headers[canonicalForm: "Cache-Control"].map { $0.lowercased() }
        if directives.contains(where: { $0 == "no-store" || $0 == "no-cache" }) { return 0 }
        for directive in directives {
            let parts = directive.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0] == "max-age" else { continue }
            guard let seconds = Int(parts[1].trimming("\"")), seconds >= 0 else { return nil }
            let age = headers.first(name: "Age").flatMap(Int.init) ?? 0
            return seconds - min(max(age, 0), seconds)
        }
        return nil
    }
}

extension Substring {
    /// The text without a character around it.
    fileprivate func trimming(_ character: Character) -> Substring {
        var text = self
        if text.first == character { text.removeFirst() }
        if text.last == character { text.removeLast() }
        return text
    }
}
