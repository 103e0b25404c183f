import Foundation
import TintypeClient
import TintypeModel
import TintypeStore

/// The store of this device, and the tasks that observe it. They end with `end()`.
final class Device {
    let client: ServiceClient
    let store: LocalStore
    let feed: PostFeed
    private let send: @Sendable (Event) -> Void
    private var tasks: [Task<Void, Never>] = []
    private var comments: Task<Void, Never>?
    /// The last request that the person has caused.
    private var request: Task<Void, Never>?
    /// The posts that the person looks at; only the last one matters.
    private let seen = AsyncStream.makeStream(of: Post.ID.self, bufferingPolicy: .bufferingNewest(1))
    private var sending: (post: Post.ID, task: Task<Void, Never>)?

    init(_ client: ServiceClient, _ records: SQLiteRecordStore, folder: URL, send: @escaping @Sendable (Event) -> Void)
    {
        (self.client, self.send) = (client, send)
        store = LocalStore(
            client: client, records: records, folder: folder.appendingPathComponent("photos"))
        feed = store.feed(screenCount: 10)
    }

    /// Begins to send, to follow the service, and to observe what the screen shows.
    func start() {
        tasks = [
            background { [store] in try await store.run() },
            background { [client, store, send] in
                for await state in await client.session.states() {
                    send(.session(state))
                    // The person's own name, for posts that are not sent yet.
                    if case .signedIn(let account) = state { try? await store.loadPerson(account.id) }
                }
            },
            watch(feed.snapshots(), Event.feed), watch(store.notifications(), Event.notifications),
            watch(store.parkedWrites(), Event.parked), watch(store.unsentCount(), Event.unsentCount),
            watch(store.connection(), Event.connection),
            Task { [feed, seen, send] in
                for await post in seen.stream {
                    do { try await feed.show(post) } catch { send(.readFailure(error)) }
                }
            },
        ]
    }

    func end() {
        for task in tasks { task.cancel() }
        for task in [comments, request, sending?.task] { task?.cancel() }
    }

    /// Reports the present value and each later one.
    private func watch<Value>(
        _ values: LocalValues<Value>, _ event: @escaping @Sendable (Value) -> Event
    ) -> Task<Void, Never> {
        background { [send] in for try await value in values { send(event(value)) } }
    }

    /// Runs work whose failure ends the program, because the device's own store cannot be read or written.
    private func background(_ work: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
        Task { [send] in
            do { try await work() } catch is CancellationError {} catch { send(.failure(error)) }
        }
    }

    // MARK: What is looked at

    /// Loads what is within two screens of a post.
    func show(_ post: Post.ID) { seen.continuation.yield(post) }

    /// Observes the comments on a post, and reads the newest from the service.
    func watchComments(_ post: Post.ID?) {
        comments?.cancel()
        comments = post.map { watch(store.comments(on: $0), Event.comments) }
        if let post { loadComments(post) }
    }

    func loadComments(_ post: Post.ID) { load { try await $0.loadComments(on: post) } }

    func loadOlderComments(_ post: Post.ID) { load { try await $0.loadOlderComments(on: post) } }

    func loadOlderNotifications() { load { try await $0.loadOlderNotifications() } }

    private func load(_ read: @escaping @Sendable (LocalStore) async throws -> Bool) {
        request?.cancel()
        request = Task { [store, send] in
            do { _ = try await read(store) } catch { send(.readFailure(error)) }
        }
    }

    /// Observes how much of the first waiting post has been sent. The list does not change with each piece.
    func watchSending(_ posts: [LocalPost]) {
        // The posts that wait are listed newest first, and sent oldest first.
        let next = posts.last { $0.state == .toBeAdded && !$0.post.photos.isEmpty }
        guard next?.id != sending?.post else { return }
        sending?.task.cancel()
        sending = next.flatMap { post in
            let id = post.id
            guard let write = post.unsentWrites.first else { return nil }
            return (id, watch(store.states(of: write)) { Event.sending(id, $0) })
        }
    }

    func signIn(_ address: String, _ password: String) {
        request?.cancel()
        request = Task { [client, send] in
            do { try await client.session.signIn(email: address, password: password) } catch {
                send(.signInFailure(error.localizedDescription))
            }
        }
    }
}
