import Store
import Tree

/// A part of an audit, which goes through something page by page.
protocol StoreCheckSurvey: Sendable {
    /// Looks at the next page; nil behind the last.
    mutating func next() async throws -> StoreCheckPage?
}

extension StoreCheckSurvey {
    /// How many posts, or other nodes, are looked at together.
    static var pageSize: Int { 256 }
}

/// What was found on one page.
struct StoreCheckPage: Sendable {
    var findings: [Finding] = []
    /// The number of posts that were looked at; avatars and objects are none.
    var posts = 0
    /// The files that were looked at, and their bytes.
    var files = 0
    var bytes = 0
    /// What is to be written of what was looked at.
    var writes: [TreePath: TreeValue] = [:]

    mutating func count(_ files: [BlobFile]) {
        self.files += files.count
        bytes += files.reduce(0) { $0 + $1.byteCount }
    }
}

extension StoreCheckRun {
    /// Goes through surveys, some side by side, and takes in what they find in the order in which it comes.
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
                // What is mended is not to be found again on the next page.
                if width > 1 { look(by: survey) }
                try await take(page, report)
                if width == 1 { look(by: survey) }
            }
        }
    }
}
