import NIOHTTP1

/// The time for which a response may be cached (RFC 9111 §4.2).
enum CacheAge {
    /// Returns the `max-age` of a response, less its age in caches on the way, in seconds; nil if it is not specified.
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
    /// Returns the text without a leading and trailing character.
    fileprivate func trimming(_ character: Character) -> Substring {
        var text = self
        if text.first == character { text.removeFirst() }
        if text.last == character { text.removeLast() }
        return text
    }
}
