import Store
import Tree

/// A part of a store check, which works page by page.
protocol StoreCheckSurvey: Sendable {
    /// Checks the next page; nil at the end.
    mutating func next() async throws -> StoreCheckPage?
}

extension StoreCheckSurvey {
    /// The number of posts, or other nodes, that are checked together.
    static var pageSize: Int { 256 }
}

/// The results of one page.
struct StoreCheckPage: Sendable {
    var findings: [Finding] = []
    /// The number of posts that were checked; avatars and objects do not count.
    var posts = 0
    /// The number of files that were checked, and their size in bytes.
    var files = 0
    var bytes = 0
    /// The values to write for the nodes that were checked.
    var writes: [TreePath: TreeValue] = [:]

    mutating func count(_ files: [BlobFile]) {
        self.files += files.count
        bytes += files.reduce(0) { $0 + $1.byteCount }
    }
}

extension StoreCheckRun {
    /// Runs surveys, some of them concurrently, and processes their results in the order in which they arrive.
    mutating func go(through surveys: [any StoreCheckSurvey], sideBySide width: Int, _ report: Report) async throws {
        try await withThrowingTaskGroup(of: (any StoreCheckSurvey, StoreCheckPage?).self) { group in
            func look(by survey: any StoreCheckSurvey) {
                group.addTask {
                    var survey = survey
                    let page = try await survey.next()
                    return (survey, page)
                }
            }
            var waiting = surveys[...]
            for survey in waiting.prefix(width) { look(by: survey) }
            waiting = waiting.dropFirst(width)
            while let (survey, page) = try await group.next() {
                guard let page else {
                    if let next = waiting.popFirst() { look(by: next) }
                    continue
                }
                // A repair must be complete before the next page is checked.
                if width > 1 { look(by: survey) }
                try await take(page, report)
                if width == 1 { look(by: survey) }
            }
        }
    }
}
