import Commands
import Glibc

exit(Commands.main())
