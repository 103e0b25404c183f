import API
import Concurrency
import Model
import Store
import Tree
import Uploads

/// Checks the folders of the blob store that a list of the tree refers to, and reads their files if the order requires
/// it.
struct FolderSurvey: StoreCheckSurvey {
    /// A folder of the blob store.
    private struct Folder: Sendable {
        let id: PostID
        let owner: String
    }

    private enum List {
        /// All uploads: those of posts, avatars and photos of the bucket.
        case uploads
        /// Objects that are not photos of posts.
        case objects
    }

    /// The claims on a folder, from one state of the tree.
    private struct Claim: Sendable {
        let folder: Folder
        let claims: FolderClaims
        /// Whether the files of the folder are read.
        let isToBeRead: Bool
    }

    /// The folders that are checked together in one state of the tree.
    private struct Page: Sendable {
        var keys: [TreeKey] = []
        /// The number of posts among the folders; the others belong to avatars, photos of drafts, or uploads that did
        /// not become posts.
        var posts = 0
        var findings: [Finding] = []
        var claims: [Claim] = []
    }

    /// The number of folders that are listed, or whose files are read, concurrently.
    private static let width = 4
    /// The lists that are read more than once per folder, or are mostly empty.
    private static let remembered = [
        UploadNodes.upload(), PostNodes.post(), AudienceNodes.post(), UploadNodes.queued(), FileNodes.deleted(),
        ObjectNodes.file(),
        UploadNodes.resumableFile(), WorkNodes.prepared(), FileNodes.verified(),
    ]

    private let list: List
    private let order: StoreCheckOrder
    private let context: StoreCheckRun.Context
    private let storage: StorageFolder
    private let rules: [(rule: TreeInvariant, rest: [TreeKey])]
    private var range = KeyRange.all
    private var isAtEnd = false

    /// Creates a survey of the folders of all uploads.
    ///
    /// - Parameter rules: The invariants to check on the records of the uploads at the same time.
    init(
        ofUploadsIn storage: StorageFolder, _ order: StoreCheckOrder, _ context: StoreCheckRun.Context,
        rules: [TreeInvariant]
    ) {
        self.init(.uploads, storage, order, context, rules)
    }

    /// Creates a survey of the folders of objects.
    init(ofObjectsIn storage: StorageFolder, _ order: StoreCheckOrder, _ context: StoreCheckRun.Context) {
        self.init(.objects, storage, order, context, [])
    }

    private init(
        _ list: List, _ storage: StorageFolder, _ order: StoreCheckOrder, _ context: StoreCheckRun.Context,
        _ rules: [TreeInvariant]
    ) {
        (self.list, self.storage, self.order, self.context) = (list, storage, order, context)
        self.rules = rules.compactMap { rule in rule.list.map { (rule, $0.rest) } }
    }

    mutating func next() async throws -> StoreCheckPage? {
        guard !isAtEnd else { return nil }
        let claimed = try await claimed()
        isAtEnd = claimed.keys.count < Self.pageSize
        if let last = claimed.keys.last { range = .after(last) }
        var page = StoreCheckPage(findings: claimed.findings)
        page.posts = claimed.posts
        let inspections = try await read(try await inspections(of: claimed.claims), &page)
        for inspection in inspections {
            page.count(inspection.present)
            page.findings += inspection.findings
        }
        return page
    }

    private func claimed() async throws -> Page {
        let (list, order, range, rules) = (list, order, range, rules)
        let now = context.clock()
        return try await storage.tree.snapshot(size: .large, remembering: Self.remembered) { snapshot in
            var page = Page()
            switch list {
            case .uploads:
                page.keys = try snapshot.children(of: UploadNodes.upload(), range: range, limit: Self.pageSize).map(
                    \.key)
            case .objects:
                page.keys = try snapshot.keys(of: ObjectNodes.file(), range: range, limit: Self.pageSize)
            }
            for key in page.keys {
                for (rule, rest) in rules {
                    try page.findings += rule.findings(atOrBelow: UploadNodes.upload() / key, rest, in: snapshot)
                }
                guard let folder = try Self.folder(of: key, in: list, snapshot),
                    order.user.map({ $0.description == folder.owner }) ?? true
                else { continue }
                if list == .uploads, try snapshot.hasPost(folder.id) { page.posts += 1 }
                let isToBeRead = try order.reads(folder.id, at: now, in: snapshot)
                guard isToBeRead || order.looksAtRecords else { continue }
                let claims = try FolderClaims(of: folder.id, owner: folder.owner, in: snapshot)
                page.claims.append(Claim(folder: folder, claims: claims, isToBeRead: isToBeRead))
            }
            return page
        }
    }

    private static func folder(
        of key: TreeKey, in list: List, _ snapshot: TreeSnapshot
    ) throws(TreeError) -> Folder? {
        guard let id = PostID(key.string) else { return nil }
        switch list {
        case .uploads:
            guard let owner = try snapshot.get(UploadNodes.upload(id) / "owner")?.stringValue else { return nil }
            return Folder(id: id, owner: owner)
        case .objects:
            guard try !snapshot.exists(UploadNodes.upload(id)),
                let file = ObjectFile(try snapshot.get(ObjectNodes.file() / key))
            else { return nil }
            return Folder(id: id, owner: file.folder)
        }
    }

    // MARK: Files

    /// Compares the folders with the claims on them: first all at once, then those with differences once more.
    private func inspections(of claims: [Claim]) async throws -> [(inspection: FolderInspection, isToBeRead: Bool)] {
        var present: [[BlobFile]] = []
        try await forEachConcurrently(claims, concurrency: Self.width) { [storage] claim in
            try await storage.blobs.files(userID: claim.folder.owner, postID: claim.folder.id.string)
        } _: {
            present.append($0)
        }
        var inspections: [(FolderInspection, Bool)] = []
        for (claim, files) in zip(claims, present) {
            let sound = FolderInspection(of: claim.claims, ifSoundWith: files, knowing: context.garbage)
            let inspection =
                if let sound { sound } else {
                    try await FolderInspection(
                        of: claim.folder.id, owner: claim.folder.owner, knowing: context.garbage, in: storage.tree,
                        beside: storage.blobs)
                }
            inspections.append((inspection, claim.isToBeRead))
        }
        return inspections
    }

    /// Reads the files of the folders that are due, and adds the faults of their bytes.
    private func read(
        _ inspections: [(inspection: FolderInspection, isToBeRead: Bool)], _ page: inout StoreCheckPage
    ) async throws -> [FolderInspection] {
        var read = inspections.filter { !$0.isToBeRead }.map(\.inspection)
        let check = ByteCheck(storage: storage, limiter: context.limiter)
        let now = context.clock()
        try await forEachConcurrently(inspections.filter(\.isToBeRead), concurrency: Self.width) { element in
            try Task.checkCancellation()
            var inspection = element.inspection
            let learnt = try await check.run(&inspection)
            return (inspection, learnt)
        } _: { (inspection, learnt) in
            page.writes.merge(learnt) { $1 }
            if inspection.hasDamagedBytes {
                page.writes[FileNodes.verified(inspection.claims.id)] = StoreCheckOrder.damaged.value
            } else if !inspection.claims.files.isEmpty, inspection.findings.isEmpty {
                page.writes[FileNodes.verified(inspection.claims.id)] = now.value
            }
            read.append(inspection)
        }
        return read
    }
}

extension StoreCheckOrder {
    /// The value that replaces the time of the last reading if that found damaged bytes.
    fileprivate static let damaged = Timestamp.epoch

    /// Whether the files of an id must be read now.
    ///
    /// Files that were damaged at the last reading are read by every check except one that deletes, until they are
    /// whole; their sizes alone would look sound.
    fileprivate func reads(_ id: PostID, at now: Timestamp, in snapshot: TreeSnapshot) throws(TreeError) -> Bool {
        guard readsFiles || action != .gc else { return false }
        let last = try snapshot.get(FileNodes.verified(id))?.timestampValue
        if last == Self.damaged { return true }
        guard readsFiles else { return false }
        if sample < 1, Double.random(in: 0..<1) >= sample { return false }
        guard let unreadFor else { return true }
        return last ?? .epoch <= now - unreadFor
    }
}
