import Glibc
private import Middle

import struct Synchronization.Mutex

enum Upward {}
