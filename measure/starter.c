/* Outflank.exe of the download for Windows: runs python\python.exe -m outflank from its own folder.

   Arguments, streams and exit code are passed on. A double click, which starts the program in its own console and
   without arguments, opens the board in the browser (outflank web). Windows does not distinguish Outflank.exe and
   outflank.exe, so one program has to be both. */

#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#define MOST 32767 /* the longest path and the longest command line of Windows */

/* Return the command line after the program's own name. */
static const wchar_t *arguments(void)
{
    const wchar_t *at = GetCommandLineW();
    int quoted = 0;
    while (*at && (quoted || (*at != L' ' && *at != L'\t')))
        quoted ^= *at++ == L'"';
    while (*at == L' ' || *at == L'\t')
        at++;
    return at;
}

static int fail(const wchar_t *what)
{
    fwprintf(stderr, L"Outflank can't start %ls (error %lu): unpack the whole folder, and keep Outflank.exe in it\n",
             what, GetLastError());
    return 1;
}

/* Leave Ctrl-C and the closing of the window to Python; the starter waits until Python has exited. */
static BOOL WINAPI leave(DWORD event)
{
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        Sleep(INFINITE); /* Windows ends this process when Python has exited, or after five seconds */
    return TRUE;
}

int main(void)
{
    static wchar_t python[MOST], command[MOST];
    DWORD shared, code;
    const wchar_t *words = arguments();
    int clicked = !*words && GetConsoleProcessList(&shared, 1) == 1 && GetFileType(GetStdHandle(STD_INPUT_HANDLE)) == FILE_TYPE_CHAR;
    DWORD length = GetModuleFileNameW(NULL, python, MOST);
    while (length && python[length - 1] != L'\\')
        length--;
    if (_snwprintf(python + length, MOST - length, L"python\\python.exe") < 0
        || _snwprintf(command, MOST, L"\"%ls\" -m outflank %ls", python, clicked ? L"web" : words) < 0)
        return fail(L"with so long a command line");

    /* The job terminates Python when this process exits, even if it is killed. Python's own children leave the job: the
       browser must survive, and engines are in jobs of their own. */
    HANDLE job = CreateJobObjectW(NULL, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);

    if (clicked)
        puts("Outflank opens in your browser. Close this window to end it.");
    STARTUPINFOW start;
    PROCESS_INFORMATION child;
    GetStartupInfoW(&start);
    SetConsoleCtrlHandler(leave, TRUE);
    if (!CreateProcessW(python, command, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &start, &child))
        return fail(python);
    AssignProcessToJobObject(job, child.hProcess);
    ResumeThread(child.hThread);
    WaitForSingleObject(child.hProcess, INFINITE);
    GetExitCodeProcess(child.hProcess, &code);
    if (clicked && code == 1) {
        fputs("Press Enter to close this window.", stderr);
        getchar();
    }
    return (int)code;
}
