import API
import Backup
import Hummingbird
import Keeping
package import Requests
package import Store

/// `/v1/backup` makes a backup of the store, while it is in use, on a disk of the service's own machine.
package struct BackupRoutes: Sendable {
    private static let maxPath = 4096

    private let storage: StorageFolder
    private let slot = PostRunSlot()

    package init(_ storage: StorageFolder) { self.storage = storage }

    package func add(to routes: inout RouteTable) {
        let backup = Endpoint.admin(
            for: "backups",
            "createBackup", in: .operations, "Make a backup in a folder, or a file, of the service's machine",
            details: "Only through the Unix socket.",
            [
                Parameter.query(
                    "to", .text(matching: "^/[^\\x00]{0,4095}$"),
                    "the whole path of a folder, or of a file whose name ends in .tar"
                ).required
            ],
            answers: [
                .lines(
                    .any(
                        .document(FindingDocument.self), .document(BackupStepDocument.self),
                        .document(JobFailureDocument.self)
                    ).named("BackupEvent"))
            ], errors: [.badRequest, .jobRunning], run: backup)
        routes.add("/v1/backup", [.post: backup])
    }

    @Sendable private func backup(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard context.isTrusted else {
            throw Failure(
                .adminOnly, "a backup writes to the service's machine, and must be requested there",
                hint: "Use the Unix socket, as the service's user, with tintype backup.")
        }
        guard let path = context.query["to"], path.hasPrefix("/"), path.utf8.count <= Self.maxPath,
            !path.utf8.contains(0)
        else {
            throw Failure(
                .badRequest, "to is the whole path of a folder or a file", hint: "Write it as /backup/tintype.")
        }
        let storage = storage
        return try await JobAnswer.response(to: request, isTrusted: context.isTrusted, in: slot) { answer in
            try await Backup(of: storage, to: path).run { event in
                switch event {
                case .finding(let finding): try await answer.tell(finding)
                case .step(let step): answer.tell(step: step)
                }
            }
        }
    }
}
